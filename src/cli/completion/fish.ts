/** Makes the completion script for fish. */
import type { CompletionCommand, CompletionOption, CompletionTree } from './tree.ts';

const quoted = (text: string): string => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;

function flagWords({ names }: CompletionOption): string {
  return names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');
}

function valueWords({ value }: CompletionOption): string {
  switch (value.kind) {
    case 'file':
      return ' -r -F';
    case 'profile':
      return " -x -a '(__pdi_profiles)'";
    case 'fields':
      return " -x -a '(__pdi_fields)'";
    case 'columns':
      return " -x -a '(__pdi_columns)'";
    case 'choices':
      return ` -x -a ${quoted(value.choices.join(' '))}`;
    case 'text':
      return ' -x';
    case 'none':
      return '';
  }
}

const optionLine = (option: CompletionOption, condition: string): string =>
  `complete -c pdi${condition} ${flagWords(option)}${valueWords(option)} -d ${quoted(option.description)}`;

function commandLines({ path, words, options, choices, takesFile }: CompletionCommand): readonly string[] {
  const condition = ` -n ${quoted(`test "$(__pdi_path)" = "${path}"`)}`;
  return [
    ...words.map(({ name, description }) => `complete -c pdi${condition} -a ${name} -d ${quoted(description)}`),
    ...(choices.length === 0 ? [] : [`complete -c pdi${condition} -a ${quoted(choices.join(' '))}`]),
    ...(takesFile ? [`complete -c pdi${condition} -F`] : []),
    ...options.map((option) => optionLine(option, condition)),
  ];
}

/** Gives the script; source it, or put it into fish's completions folder as pdi.fish. */
export function fishScript({ commands, everywhere, inputFlags }: CompletionTree): string {
  const all = [...everywhere, ...commands.flatMap(({ options }) => options)];
  const taking = [...new Set(all.filter(({ value }) => value.kind !== 'none').flatMap(({ names }) => names))];
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  const fields = commands.filter((command) => command.fields.length > 0);
  return `# fish completion for pdi; generated from its command tree

function __pdi_path
    set -l words (commandline -opc)
    set -l path ''
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        if contains -- $word ${taking.join(' ')}
            set skip 1
            continue
        end
        set -l next (string trim -- "$path $word")
        if contains -- $next ${paths.map(quoted).join(' ')}
            set path $next
        end
    end
    echo $path
end

function __pdi_profiles
    set -l folder $PDI_CONFIG_DIR
    test -n "$folder"; or set folder (test -n "$XDG_CONFIG_HOME"; and echo $XDG_CONFIG_HOME; or echo $HOME/.config)/pdi
    test -r $folder/config.json; and string replace -rf '^(\\t\\t|    )"([A-Za-z0-9._-]+)": \\{.*' '$2' <$folder/config.json
end

function __pdi_fields
    set -l names
    switch (__pdi_path)
${fields.map(({ path, fields: names }) => `        case ${quoted(path)}\n            set names ${names.join(' ')}`).join('\n')}
    end
    set -l done (string match -r '^.*,' -- (commandline -ct))
    for name in $names
        echo "$done$name"
    end
end

# Only pdi can read a file's header.
function __pdi_columns
    set -l file
    set -l sheet
    set -l before
    for word in (commandline -opc) (commandline -o)
        contains -- "$before" ${inputFlags.join(' ')}; and set file $word
        string match -qr -- '^(${inputFlags.join('|')})=' $word; and set file (string replace -r '^[^=]*=' '' -- $word)
        test "$before" = --sheet; and set sheet --sheet=$word
        string match -q -- '--sheet=*' $word; and set sheet $word
        set before $word
    end
    test -n "$file"; or return
    set file (string replace -r '^~/' "$HOME/" -- $file)
    set -l done (string match -r '^.*,' -- (commandline -ct))
    for name in (command pdi completion columns --of=$file $sheet 2>/dev/null)
        echo "$done$name"
    end
end

complete -c pdi -f
${everywhere.map((option) => optionLine(option, '')).join('\n')}
${commands.flatMap(commandLines).join('\n')}
`;
}
