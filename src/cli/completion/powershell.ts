/** Makes the completion script for PowerShell. */
import { type CompletionOption, type CompletionTree, type ValuedOption, valuedOptions } from './tree.ts';

const quoted = (text: string): string => `'${text.replace(/'/g, "''")}'`;
const list = (all: readonly string[]): string => `@(${all.map(quoted).join(', ')})`;

function valueWords({ value }: CompletionOption): string | undefined {
  switch (value.kind) {
    case 'choices':
      return list(value.choices);
    case 'profile':
      return '(Get-PdiProfile)';
    case 'fields':
      return '$fields[$path]';
    case 'columns':
      return '(Get-PdiColumn $typed)';
    case 'file':
      return '$null';
    case 'text':
      return '@()';
    case 'none':
      return undefined;
  }
}

const valueLines = ({ option, path }: ValuedOption): readonly string[] =>
  option.names.map((name) => {
    const condition = path === undefined ? quoted(name) : `{ $_ -ceq ${quoted(name)} -and $path -ceq ${quoted(path)} }`;
    return `    ${condition} { ${valueWords(option)}; break }`;
  });

const table = (entries: readonly (readonly [string, string])[]): string =>
  entries.map(([key, value]) => `    ${quoted(key)} = ${value}`).join('\n');

/** Gives the script; dot-source it from the profile. */
export function powershellScript(tree: CompletionTree): string {
  const { commands, everywhere, inputFlags } = tree;
  const taking = valuedOptions(tree);
  const names = (options: readonly CompletionOption[]) => options.flatMap((option) => option.names);
  return `# PowerShell completion for pdi; generated from its command tree

function Get-PdiProfile {
  $folder = if ($env:PDI_CONFIG_DIR) { $env:PDI_CONFIG_DIR } elseif ($env:XDG_CONFIG_HOME) { Join-Path $env:XDG_CONFIG_HOME 'pdi' }
    elseif ($env:APPDATA) { Join-Path $env:APPDATA 'pdi' } else { Join-Path $HOME '.config/pdi' }
  $file = Join-Path $folder 'config.json'
  if (Test-Path $file) { (Get-Content -Raw $file | ConvertFrom-Json).profiles.PSObject.Properties.Name }
}

# Only pdi can read a file's header. A name with blanks needs quotes.
function Get-PdiColumn($typed) {
  $file = ''
  $sheet = @()
  for ($i = 1; $i -lt $typed.Count; $i++) {
    if (${list(inputFlags)} -ccontains $typed[$i - 1]) { $file = $typed[$i].Trim("'", '"') }
    if ($typed[$i - 1] -ceq '--sheet') { $sheet = @("--sheet=" + $typed[$i].Trim("'", '"')) }
  }
  if ($file -eq '') { return }
  & pdi completion columns "--of=$file" @sheet 2>$null | ForEach-Object {
    if ($_ -match '[^\\w.-]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
  }
}

Register-ArgumentCompleter -Native -CommandName pdi -ScriptBlock {
  param($word, $ast, $cursor)
  $subcommands = @{
${table(commands.map(({ path, words, choices }) => [path, list([...words.map(({ name }) => name), ...choices])]))}
  }
  $flags = @{
${table(commands.map(({ path, options }) => [path, list(names(options))]))}
  }
  $everywhere = ${list(names(everywhere))}
  $fields = @{
${table(commands.filter(({ fields }) => fields.length > 0).map(({ path, fields }) => [path, list(fields)]))}
  }
  $taking = ${list([...new Set(taking.flatMap(({ option }) => option.names))])}
  $typed = @($ast.CommandElements | ForEach-Object { $_.ToString() } | Select-Object -Skip 1)
  if ($word -ne '' -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $path = ''
  $skip = $false
  foreach ($part in $typed) {
    if ($skip) { $skip = $false; continue }
    if ($taking -contains $part) { $skip = $true; continue }
    $next = "$path $part".Trim()
    if ($subcommands.ContainsKey($next)) { $path = $next }
  }
  $before = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $offered = switch ($before) {
${taking.flatMap(valueLines).join('\n')}
    default { if ($word -like '-*') { $flags[$path] + $everywhere } else { $subcommands[$path] } }
  }
  $done = if ($before -eq '--fields' -and $word -match '^(.*,)') { $Matches[1] } else { '' }
  $offered | Where-Object { "$done$_" -like "$word*" } | ForEach-Object { "$done$_" }
}
`;
}
