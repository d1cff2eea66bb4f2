# fish completion for pdi; generated from its command tree

function __pdi_path
    set -l words (commandline -opc)
    set -l path ''
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        if contains -- $word --profile --base-url -o --output --max-billable --budget --max-age --concurrency --timeout --retries --max-wait --rate --fields --explode --where --query --out --delimiter --errors --on-error --people --seed --credits --rate-limit --latency --out-of-credits-status --fault -i --input --input-format --sheet --encoding --column --header-row --first --accept --as --after --before --search --list --sort --page --limit --max-pages --since-last --look-back --deliver --name --website --add --add-from --delete --delete-from --wait --from --since --until --by --older-than --to --confirm --tools --config --port
            set skip 1
            continue
        end
        set -l next (string trim -- "$path $word")
        if contains -- $next 'resolve' 'person' 'feed' 'revenue' 'investors' 'lists' 'lists companies' 'lists companies list' 'lists companies delete' 'lists people' 'lists people modify' 'lists people delete' 'lists investors' 'lists investors get' 'lists investors delete' 'searches' 'searches funding-rounds' 'searches talent' 'network' 'health' 'config' 'config set' 'config unset' 'config get' 'config path' 'config list' 'config profiles' 'config check' 'config init' 'convert' 'spend' 'store' 'store forget' 'store purge' 'bookmarks' 'bookmarks reset' 'mcp' 'sandbox' 'completion' 'help' 'config set base-url' 'config set api-key' 'config set key-command' 'config set output' 'config set max-billable' 'config set budget' 'config set max-age' 'config set account' 'config set concurrency' 'config set timeout' 'help lists' 'help lists companies' 'help lists people' 'help lists investors' 'help searches' 'help config' 'help store' 'help bookmarks'
            set path $next
        end
    end
    echo $path
end

function __pdi_profiles
    set -l folder $PDI_CONFIG_DIR
    test -n "$folder"; or set folder (test -n "$XDG_CONFIG_HOME"; and echo $XDG_CONFIG_HOME; or echo $HOME/.config)/pdi
    test -r $folder/config.json; and string replace -rf '^(\t\t|    )"([A-Za-z0-9._-]+)": \{.*' '$2' <$folder/config.json
end

function __pdi_fields
    set -l names
    switch (__pdi_path)
        case 'resolve'
            set names person_id full_name profnet_url
        case 'person'
            set names person_id last_updated talent_signal_ids investor_signal_ids profile_picture_url first_name last_name full_name profnet_url profnet_num_id profnet_urn twitter_url github_url about tagline location region highlights level_of_seniority years_of_experience education_level experience current_position_title current_position_company_name current_position_company_website past_position_title past_position_company_name past_position_company_website current_tenure average_tenure education languages skills profnet_followers profnet_connections
        case 'feed'
            set names signal_id signal_date signal_score signal_summary signal_type source_types signal_total_funding_usd signal_last_funding_date signal_last_funding_usd signal_investors entity_id company.name company.description company.website company.profnet_url company.twitter_url company.founded_year company.hq.city company.hq.state company.hq.country company.hq.continent company.industry company.tech_verticals company.is_industry_estimated company.customer_focus person.full_name person.description person.website person.profnet_url person.twitter_url person.founded_year person.location.city person.location.state person.location.country person.location.continent person.industry person.tech_verticals person.is_industry_estimated signal_source subject
        case 'revenue'
            set names id company_name domain est_revenue_usd latest_revenue_reported_usd latest_revenue_reported_date revenue_type est_revenue_growth_1m_pct est_revenue_growth_3m_pct est_revenue_growth_6m_pct est_revenue_growth_1y_pct est_revenue_growth_2y_pct
        case 'investors'
            set names investor_id investor_name strategic_signal_ids investor_types investment_stage industry_target svc_industry_target svc_tech_verticals_target fund_details portfolio_companies person_id company_id investor_rank company_size operating_status domain hq_location founded_year profnet_url twitter_url description number_of_exits number_of_lead_investments number_of_investments number_of_funds
        case 'lists companies list'
            set names id name is_global shared_with created_at updated_at company_count
        case 'lists companies delete'
            set names list_id deleted
        case 'lists people modify'
            set names id name created_at updated_at people
        case 'lists people delete'
            set names list_id deleted
        case 'lists investors get'
            set names id name created_at updated_at investors
        case 'lists investors delete'
            set names list_id deleted
        case 'searches funding-rounds'
            set names id name query_id product_type is_global full_count
        case 'searches talent'
            set names id name query_id product_type is_global full_count
        case 'network'
            set names person_id connected_on connected_at connected_teammates first_name last_name full_name headline profile_picture_url profnet_url twitter_url github_url primary_role current_company_id
        case 'health'
            set names status relational_store analytics_store
    end
    set -l done (string match -r '^.*,' -- (commandline -ct))
    for name in $names
        echo "$done$name"
    end
end

# Only pdi can read a file's header.
function __pdi_columns
    set -l file
    set -l before
    for word in (commandline -opc) (commandline -o)
        contains -- "$before" -i --input --add-from --delete-from; and set file $word
        string match -qr -- '^(-i|--input|--add-from|--delete-from)=' $word; and set file (string replace -r '^[^=]*=' '' -- $word)
        set before $word
    end
    test -n "$file"; or return
    set file (string replace -r '^~/' "$HOME/" -- $file)
    set -l done (string match -r '^.*,' -- (commandline -ct))
    for name in (command pdi completion columns --of=$file 2>/dev/null)
        echo "$done$name"
    end
end

complete -c pdi -f
complete -c pdi -s V -l version -d 'version of pdi'
complete -c pdi -l profile -x -a '(__pdi_profiles)' -d 'profile of the configuration to use (default default)'
complete -c pdi -l base-url -x -d 'versioned root of the service, such as https://HOST/api/v1'
complete -c pdi -s o -l output -x -a 'table json ndjson csv xlsx parquet' -d 'table, json, ndjson, csv, xlsx, parquet; unset: by the name of --out, else table on a terminal, json elsewhere'
complete -c pdi -l max-billable -x -d 'hard cap on calls that are not free; unlimited lifts it (default 100)'
complete -c pdi -l budget -x -d 'most calls that are not free, over all runs of this machine: 5000/month, 200/day, or both with a comma (default unlimited)'
complete -c pdi -l max-age -x -d 'how long bought answers are kept in the store and taken from it: 30d, 12h, 15m; 0 keeps and takes nothing (default 12h)'
complete -c pdi -l concurrency -x -d 'requests at once, 1 to 64 (default 4)'
complete -c pdi -l timeout -x -d 'seconds to wait for one answer (default 30)'
complete -c pdi -l retries -x -d 'times a request is sent again where that is safe (default 4)'
complete -c pdi -l max-wait -x -d 'longest wait for a rate limit to reset (default 60)'
complete -c pdi -l rate -x -d 'most requests a second, to share the limit of a key between machines'
complete -c pdi -l fields -x -a '(__pdi_fields)' -d 'columns to show, in this order, separated by commas'
complete -c pdi -l explode -x -d 'a row for each element of a list, such as experience: its record repeats, pdi_item counts; not with json'
complete -c pdi -l where -x -d 'keep the records for which this JMESPath expression is true: feed, network, lists, investors, convert'
complete -c pdi -l query -x -d 'JMESPath expression over json, or over each record of ndjson; with --fields, over those alone'
complete -c pdi -l out -r -F -d 'write there instead of stdout: whole, or not at all'
complete -c pdi -l with-input -d 'json and ndjson of a job: the row of the input in each record, as pdi_input'
complete -c pdi -l force -d 'let --out replace an existing file'
complete -c pdi -l no-header -d 'csv or xlsx without its header line'
complete -c pdi -l delimiter -x -d 'csv delimiter; \\t for a tab'
complete -c pdi -l bom -d 'csv that begins with a byte order mark, for Excel'
complete -c pdi -l no-formula-guard -d 'csv cells as they are, also where a spreadsheet would run them'
complete -c pdi -l text-ids -d 'csv with numeric ids that spreadsheets take for text: no digit is lost'
complete -c pdi -l color -d 'colour, also where there is no terminal'
complete -c pdi -l no-color -d 'no colour'
complete -c pdi -l errors -x -a 'json text' -d 'failures, notices and summary on stderr, whatever the output: json, one object a line, or text, words even with -o json (default json with json output, else text)'
complete -c pdi -s q -l quiet -d 'no notices, progress, summary or pictures; of health, no report either'
complete -c pdi -l verbose -d 'each request and answer on stderr, and stack traces of bugs'
complete -c pdi -l dry-run -d 'make no call: print what would be sent, and exit 7 where cap or budget do not allow it'
complete -c pdi -l fail-if-empty -d 'exit 4 where there is nothing in the answer'
complete -c pdi -l on-error -x -a 'stop continue' -d 'what a failed row does to a job (default continue)'
complete -c pdi -l fresh -d 'buy again what the store has; the journal beside --out is still used'
complete -c pdi -l retry-unknown -d 'send again what may have been billed without an answer'
complete -c pdi -l restart -d 'discard the journal beside --out and begin anew'
complete -c pdi -l allow-http -d 'accept http:// beyond this machine: the key travels unencrypted'
complete -c pdi -l no-input -d 'never ask anything'
complete -c pdi -l sandbox -d 'run against an invented service inside this process: no key, no bill'
complete -c pdi -l people -x -d 'people in the invented data'
complete -c pdi -l seed -x -d 'which invented data'
complete -c pdi -l credits -x -d 'credits of the full key; unlimited where not given'
complete -c pdi -l rate-limit -x -d 'requests a second before 429'
complete -c pdi -l latency -x -d 'time each answer takes'
complete -c pdi -l out-of-credits-status -x -d 'HTTP status of OUT_OF_CREDITS, which is not documented (default 402)'
complete -c pdi -l fault -x -a 'drop-after-billing slow truncate malformed reset 503 500 relational-store analytics-store' -d 'make calls fail, repeatable; see pdi help sandbox'
complete -c pdi -s h -l help -d 'help for a command'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a resolve -d 'person ids for profile URLs, vanity ids, numeric ids or URNs (free)'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a person -d 'full profiles by person id (charged, 1 a call)'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a feed -d 'investor-interest signals, newest first (charged, 1 a non-empty page)'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a revenue -d 'latest revenue figures by company id (charged, 1 a call)'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a investors -d 'investor records by name or website'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a lists -d 'lists of companies, people and investors'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a searches -d 'details of saved searches by id'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a network -d 'people in the team\'s professional network'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a health -d 'service health: 0 only for OK, else 5 (free, no key)'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a config -d 'settings, keys and profiles'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a convert -d 'json, ndjson, csv or xlsx of pdi in another format, without a call'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a spend -d 'calls billed so far, from the spend ledger of this machine'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a store -d 'bought answers that are kept: how many, where, how large'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a bookmarks -d 'bookmarks of feed --since-last: how far each has come'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a mcp -d 'tools for agents: a Model Context Protocol server on stdin and stdout'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a sandbox -d 'run the invented service on 127.0.0.1 until stopped'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a completion -d 'completion script for bash, zsh, fish or powershell'
complete -c pdi -n 'test "$(__pdi_path)" = ""' -a help -d 'help for a command, or a topic: exit-codes, environment, output, jobs, spreadsheets, money, sandbox, ci, mcp'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -s i -l input -r -F -d 'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson, json, in gzip too, or xlsx'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -l input-format -x -a 'lines csv tsv ndjson json xlsx' -d 'what the input is, where its name and first bytes do not tell'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -l sheet -x -d 'sheet of a workbook, where it is not the first that is shown'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -l encoding -x -d 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -l column -x -a '(__pdi_columns)' -d 'column or field that holds the identifier; of several (A,B), the first that is filled'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -l header-row -x -d 'line of a table that holds the column names, where others stand above it'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -l first -x -d 'take the first rows alone, as a trial; with --out, the same command without it then goes on from there'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -l accept -x -d 'what rows of a job may be and it still exits 0, not 8: not_found, invalid, failed, unknown, or several with commas; a single id keeps its own exit code'
complete -c pdi -n 'test "$(__pdi_path)" = "resolve"' -l as -x -a 'url id num-id urn' -d 'what every identifier is, whatever its shape'
complete -c pdi -n 'test "$(__pdi_path)" = "person"' -s i -l input -r -F -d 'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson, json, in gzip too, or xlsx'
complete -c pdi -n 'test "$(__pdi_path)" = "person"' -l input-format -x -a 'lines csv tsv ndjson json xlsx' -d 'what the input is, where its name and first bytes do not tell'
complete -c pdi -n 'test "$(__pdi_path)" = "person"' -l sheet -x -d 'sheet of a workbook, where it is not the first that is shown'
complete -c pdi -n 'test "$(__pdi_path)" = "person"' -l encoding -x -d 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)'
complete -c pdi -n 'test "$(__pdi_path)" = "person"' -l column -x -a '(__pdi_columns)' -d 'column or field that holds the identifier; of several (A,B), the first that is filled'
complete -c pdi -n 'test "$(__pdi_path)" = "person"' -l header-row -x -d 'line of a table that holds the column names, where others stand above it'
complete -c pdi -n 'test "$(__pdi_path)" = "person"' -l first -x -d 'take the first rows alone, as a trial; with --out, the same command without it then goes on from there'
complete -c pdi -n 'test "$(__pdi_path)" = "person"' -l accept -x -d 'what rows of a job may be and it still exits 0, not 8: not_found, invalid, failed, unknown, or several with commas; a single id keeps its own exit code'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l after -x -d 'first day, inclusive: YYYY-MM-DD, today, yesterday, 7d, 2026-06; of a bookmark: where to start'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l before -x -d 'last day, inclusive, in the same forms'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l search -x -d 'signals that match a saved search'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l list -x -d 'signals for the members of a list'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l sort -x -d 'order of results; its values are not documented, the sandbox lists its own'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l page -x -d 'page to read, from 0'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l limit -x -d 'signals a page, 1 to 50 (default 50)'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l all -d 'every page, until one is short'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l max-pages -x -d 'with --all, pages at most'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l since-last -x -d 'with --all: only signals that no earlier run with this bookmark delivered'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l look-back -x -d 'with --since-last: days before the newest signal that are read again for late ones (default 7)'
complete -c pdi -n 'test "$(__pdi_path)" = "feed"' -l deliver -x -d 'with --since-last: a program and its arguments, which gets the rows on its stdin; the bookmark moves if it exits 0. Without a new signal it is not run'
complete -c pdi -n 'test "$(__pdi_path)" = "revenue"' -s i -l input -r -F -d 'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson, json, in gzip too, or xlsx'
complete -c pdi -n 'test "$(__pdi_path)" = "revenue"' -l input-format -x -a 'lines csv tsv ndjson json xlsx' -d 'what the input is, where its name and first bytes do not tell'
complete -c pdi -n 'test "$(__pdi_path)" = "revenue"' -l sheet -x -d 'sheet of a workbook, where it is not the first that is shown'
complete -c pdi -n 'test "$(__pdi_path)" = "revenue"' -l encoding -x -d 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)'
complete -c pdi -n 'test "$(__pdi_path)" = "revenue"' -l column -x -a '(__pdi_columns)' -d 'column or field that holds the identifier; of several (A,B), the first that is filled'
complete -c pdi -n 'test "$(__pdi_path)" = "revenue"' -l header-row -x -d 'line of a table that holds the column names, where others stand above it'
complete -c pdi -n 'test "$(__pdi_path)" = "revenue"' -l first -x -d 'take the first rows alone, as a trial; with --out, the same command without it then goes on from there'
complete -c pdi -n 'test "$(__pdi_path)" = "revenue"' -l accept -x -d 'what rows of a job may be and it still exits 0, not 8: not_found, invalid, failed, unknown, or several with commas; a single id keeps its own exit code'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l name -x -d 'investor name; case and surrounding space do not matter'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l website -x -d 'website or domain of the investor'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -s i -l input -r -F -d 'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson, json, in gzip too, or xlsx'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l input-format -x -a 'lines csv tsv ndjson json xlsx' -d 'what the input is, where its name and first bytes do not tell'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l sheet -x -d 'sheet of a workbook, where it is not the first that is shown'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l encoding -x -d 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l column -x -a '(__pdi_columns)' -d 'column or field that holds the identifier; of several (A,B), the first that is filled'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l header-row -x -d 'line of a table that holds the column names, where others stand above it'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l first -x -d 'take the first rows alone, as a trial; with --out, the same command without it then goes on from there'
complete -c pdi -n 'test "$(__pdi_path)" = "investors"' -l accept -x -d 'what rows of a job may be and it still exits 0, not 8: not_found, invalid, failed, unknown, or several with commas; a single id keeps its own exit code'
complete -c pdi -n 'test "$(__pdi_path)" = "lists"' -a companies -d 'company lists'
complete -c pdi -n 'test "$(__pdi_path)" = "lists"' -a people -d 'people lists'
complete -c pdi -n 'test "$(__pdi_path)" = "lists"' -a investors -d 'investor lists'
complete -c pdi -n 'test "$(__pdi_path)" = "lists companies"' -a list -d 'company lists that the API can see (free)'
complete -c pdi -n 'test "$(__pdi_path)" = "lists companies"' -a delete -d 'delete a company list, for good'
complete -c pdi -n 'test "$(__pdi_path)" = "lists companies delete"' -s y -l yes -d 'delete without asking'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people"' -a modify -d 'add people to a list and remove people from it'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people"' -a delete -d 'delete a people list, for good'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l add -x -d 'person ids to add'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l add-from -r -F -d 'file of person ids to add, - for stdin'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l delete -x -d 'person ids to remove'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l delete-from -r -F -d 'file of person ids to remove, - for stdin'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l input-format -x -a 'lines csv tsv ndjson json xlsx' -d 'what the input is, where its name and first bytes do not tell'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l sheet -x -d 'sheet of a workbook, where it is not the first that is shown'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l encoding -x -d 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l column -x -a '(__pdi_columns)' -d 'column or field that holds the identifier; of several (A,B), the first that is filled'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people modify"' -l header-row -x -d 'line of a table that holds the column names, where others stand above it'
complete -c pdi -n 'test "$(__pdi_path)" = "lists people delete"' -s y -l yes -d 'delete without asking'
complete -c pdi -n 'test "$(__pdi_path)" = "lists investors"' -a get -d 'one investor list with its members'
complete -c pdi -n 'test "$(__pdi_path)" = "lists investors"' -a delete -d 'delete an investor list, for good'
complete -c pdi -n 'test "$(__pdi_path)" = "lists investors delete"' -s y -l yes -d 'delete without asking'
complete -c pdi -n 'test "$(__pdi_path)" = "searches"' -a funding-rounds -d 'saved funding-rounds searches'
complete -c pdi -n 'test "$(__pdi_path)" = "searches"' -a talent -d 'saved talent searches'
complete -c pdi -n 'test "$(__pdi_path)" = "searches funding-rounds"' -s i -l input -r -F -d 'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson, json, in gzip too, or xlsx'
complete -c pdi -n 'test "$(__pdi_path)" = "searches funding-rounds"' -l input-format -x -a 'lines csv tsv ndjson json xlsx' -d 'what the input is, where its name and first bytes do not tell'
complete -c pdi -n 'test "$(__pdi_path)" = "searches funding-rounds"' -l sheet -x -d 'sheet of a workbook, where it is not the first that is shown'
complete -c pdi -n 'test "$(__pdi_path)" = "searches funding-rounds"' -l encoding -x -d 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)'
complete -c pdi -n 'test "$(__pdi_path)" = "searches funding-rounds"' -l column -x -a '(__pdi_columns)' -d 'column or field that holds the identifier; of several (A,B), the first that is filled'
complete -c pdi -n 'test "$(__pdi_path)" = "searches funding-rounds"' -l header-row -x -d 'line of a table that holds the column names, where others stand above it'
complete -c pdi -n 'test "$(__pdi_path)" = "searches funding-rounds"' -l first -x -d 'take the first rows alone, as a trial; with --out, the same command without it then goes on from there'
complete -c pdi -n 'test "$(__pdi_path)" = "searches funding-rounds"' -l accept -x -d 'what rows of a job may be and it still exits 0, not 8: not_found, invalid, failed, unknown, or several with commas; a single id keeps its own exit code'
complete -c pdi -n 'test "$(__pdi_path)" = "searches talent"' -s i -l input -r -F -d 'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson, json, in gzip too, or xlsx'
complete -c pdi -n 'test "$(__pdi_path)" = "searches talent"' -l input-format -x -a 'lines csv tsv ndjson json xlsx' -d 'what the input is, where its name and first bytes do not tell'
complete -c pdi -n 'test "$(__pdi_path)" = "searches talent"' -l sheet -x -d 'sheet of a workbook, where it is not the first that is shown'
complete -c pdi -n 'test "$(__pdi_path)" = "searches talent"' -l encoding -x -d 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)'
complete -c pdi -n 'test "$(__pdi_path)" = "searches talent"' -l column -x -a '(__pdi_columns)' -d 'column or field that holds the identifier; of several (A,B), the first that is filled'
complete -c pdi -n 'test "$(__pdi_path)" = "searches talent"' -l header-row -x -d 'line of a table that holds the column names, where others stand above it'
complete -c pdi -n 'test "$(__pdi_path)" = "searches talent"' -l first -x -d 'take the first rows alone, as a trial; with --out, the same command without it then goes on from there'
complete -c pdi -n 'test "$(__pdi_path)" = "searches talent"' -l accept -x -d 'what rows of a job may be and it still exits 0, not 8: not_found, invalid, failed, unknown, or several with commas; a single id keeps its own exit code'
complete -c pdi -n 'test "$(__pdi_path)" = "network"' -l page -x -d 'page to read, from 0'
complete -c pdi -n 'test "$(__pdi_path)" = "network"' -l limit -x -d 'people a page (default 50)'
complete -c pdi -n 'test "$(__pdi_path)" = "network"' -l all -d 'every page, until one is short'
complete -c pdi -n 'test "$(__pdi_path)" = "network"' -l max-pages -x -d 'with --all, pages at most'
complete -c pdi -n 'test "$(__pdi_path)" = "health"' -l wait -x -d 'poll until the service is OK, so long at most'
complete -c pdi -n 'test "$(__pdi_path)" = "config"' -a set -d 'store a setting in the profile'
complete -c pdi -n 'test "$(__pdi_path)" = "config"' -a unset -d 'remove a setting from the profile'
complete -c pdi -n 'test "$(__pdi_path)" = "config"' -a get -d 'one setting of the profile; a key is masked'
complete -c pdi -n 'test "$(__pdi_path)" = "config"' -a path -d 'the configuration file'
complete -c pdi -n 'test "$(__pdi_path)" = "config"' -a list -d 'every setting, and where it comes from; keys are masked'
complete -c pdi -n 'test "$(__pdi_path)" = "config"' -a profiles -d 'the profiles, and the one in use'
complete -c pdi -n 'test "$(__pdi_path)" = "config"' -a check -d 'what stands between you and an answer: files, connection, stores, key'
complete -c pdi -n 'test "$(__pdi_path)" = "config"' -a init -d 'ask for base URL and key, store both, and check them'
complete -c pdi -n 'test "$(__pdi_path)" = "config set"' -a 'base-url api-key key-command output max-billable budget max-age account concurrency timeout'
complete -c pdi -n 'test "$(__pdi_path)" = "config unset"' -a 'base-url api-key key-command output max-billable budget max-age account concurrency timeout'
complete -c pdi -n 'test "$(__pdi_path)" = "config get"' -a 'base-url api-key key-command output max-billable budget max-age account concurrency timeout'
complete -c pdi -n 'test "$(__pdi_path)" = "convert"' -F
complete -c pdi -n 'test "$(__pdi_path)" = "convert"' -l from -x -d 'command that the records came from, such as person or "lists investors get"'
complete -c pdi -n 'test "$(__pdi_path)" = "convert"' -l input-format -x -a 'json ndjson csv tsv xlsx' -d 'what FILE is, where its name and first bytes do not tell'
complete -c pdi -n 'test "$(__pdi_path)" = "convert"' -l sheet -x -d 'sheet of a workbook, where it is not the first that is shown'
complete -c pdi -n 'test "$(__pdi_path)" = "convert"' -l encoding -x -d 'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)'
complete -c pdi -n 'test "$(__pdi_path)" = "convert"' -l first -x -d 'take the first rows alone'
complete -c pdi -n 'test "$(__pdi_path)" = "spend"' -l since -x -d 'first day: YYYY-MM-DD, today, yesterday, 7d, 2026-06'
complete -c pdi -n 'test "$(__pdi_path)" = "spend"' -l until -x -d 'last day, in the same forms'
complete -c pdi -n 'test "$(__pdi_path)" = "spend"' -l by -x -a 'day month command profile' -d 'what to count by; several with commas: month,command'
complete -c pdi -n 'test "$(__pdi_path)" = "store"' -a forget -d 'forget the kept answers about some ids, at once'
complete -c pdi -n 'test "$(__pdi_path)" = "store"' -a purge -d 'delete kept answers from the disk'
complete -c pdi -n 'test "$(__pdi_path)" = "store purge"' -l older-than -x -d 'answers that were bought longer ago, such as 30d or 12h'
complete -c pdi -n 'test "$(__pdi_path)" = "store purge"' -l all -d 'all answers'
complete -c pdi -n 'test "$(__pdi_path)" = "store purge"' -l yes -d 'do not ask'
complete -c pdi -n 'test "$(__pdi_path)" = "bookmarks"' -a reset -d 'let the next run of a bookmark deliver again, from a day on'
complete -c pdi -n 'test "$(__pdi_path)" = "bookmarks reset"' -l to -x -d 'first day to deliver again: YYYY-MM-DD, today, yesterday, 7d, 2026-06'
complete -c pdi -n 'test "$(__pdi_path)" = "mcp"' -l confirm -x -a 'always charged never' -d 'calls to ask the person about: charged means all that are not free, and deletions (default charged)'
complete -c pdi -n 'test "$(__pdi_path)" = "mcp"' -l allow-changes -d 'let agents change and delete lists'
complete -c pdi -n 'test "$(__pdi_path)" = "mcp"' -l read-only -d 'do not even list the tools that change and delete lists'
complete -c pdi -n 'test "$(__pdi_path)" = "mcp"' -l tools -x -d 'tools to list, separated by commas (default all)'
complete -c pdi -n 'test "$(__pdi_path)" = "mcp"' -l config -x -a 'claude cursor vscode' -d 'print what to paste into the settings of a client, with the other flags given'
complete -c pdi -n 'test "$(__pdi_path)" = "sandbox"' -l port -x -d 'port to listen on (default: a free one)'
complete -c pdi -n 'test "$(__pdi_path)" = "completion"' -a 'bash zsh fish powershell'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a resolve -d 'person ids for profile URLs, vanity ids, numeric ids or URNs (free)'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a person -d 'full profiles by person id (charged, 1 a call)'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a feed -d 'investor-interest signals, newest first (charged, 1 a non-empty page)'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a revenue -d 'latest revenue figures by company id (charged, 1 a call)'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a investors -d 'investor records by name or website'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a lists -d 'lists of companies, people and investors'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a searches -d 'details of saved searches by id'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a network -d 'people in the team\'s professional network'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a health -d 'service health: 0 only for OK, else 5 (free, no key)'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a config -d 'settings, keys and profiles'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a convert -d 'json, ndjson, csv or xlsx of pdi in another format, without a call'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a spend -d 'calls billed so far, from the spend ledger of this machine'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a store -d 'bought answers that are kept: how many, where, how large'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a bookmarks -d 'bookmarks of feed --since-last: how far each has come'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a mcp -d 'tools for agents: a Model Context Protocol server on stdin and stdout'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a sandbox -d 'run the invented service on 127.0.0.1 until stopped'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a completion -d 'completion script for bash, zsh, fish or powershell'
complete -c pdi -n 'test "$(__pdi_path)" = "help"' -a 'exit-codes environment output jobs spreadsheets money ci'
complete -c pdi -n 'test "$(__pdi_path)" = "config set output"' -a 'table json ndjson csv xlsx parquet'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists"' -a companies -d 'company lists'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists"' -a people -d 'people lists'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists"' -a investors -d 'investor lists'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists companies"' -a list -d 'company lists that the API can see (free)'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists companies"' -a delete -d 'delete a company list, for good'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists people"' -a modify -d 'add people to a list and remove people from it'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists people"' -a delete -d 'delete a people list, for good'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists investors"' -a get -d 'one investor list with its members'
complete -c pdi -n 'test "$(__pdi_path)" = "help lists investors"' -a delete -d 'delete an investor list, for good'
complete -c pdi -n 'test "$(__pdi_path)" = "help searches"' -a funding-rounds -d 'saved funding-rounds searches'
complete -c pdi -n 'test "$(__pdi_path)" = "help searches"' -a talent -d 'saved talent searches'
complete -c pdi -n 'test "$(__pdi_path)" = "help config"' -a set -d 'store a setting in the profile'
complete -c pdi -n 'test "$(__pdi_path)" = "help config"' -a unset -d 'remove a setting from the profile'
complete -c pdi -n 'test "$(__pdi_path)" = "help config"' -a get -d 'one setting of the profile; a key is masked'
complete -c pdi -n 'test "$(__pdi_path)" = "help config"' -a path -d 'the configuration file'
complete -c pdi -n 'test "$(__pdi_path)" = "help config"' -a list -d 'every setting, and where it comes from; keys are masked'
complete -c pdi -n 'test "$(__pdi_path)" = "help config"' -a profiles -d 'the profiles, and the one in use'
complete -c pdi -n 'test "$(__pdi_path)" = "help config"' -a check -d 'what stands between you and an answer: files, connection, stores, key'
complete -c pdi -n 'test "$(__pdi_path)" = "help config"' -a init -d 'ask for base URL and key, store both, and check them'
complete -c pdi -n 'test "$(__pdi_path)" = "help store"' -a forget -d 'forget the kept answers about some ids, at once'
complete -c pdi -n 'test "$(__pdi_path)" = "help store"' -a purge -d 'delete kept answers from the disk'
complete -c pdi -n 'test "$(__pdi_path)" = "help bookmarks"' -a reset -d 'let the next run of a bookmark deliver again, from a day on'
