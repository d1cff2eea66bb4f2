# bash completion for pdi; generated from its command tree

# The words of $1 that begin with $2, behind $3. What compgen gives, without a process of its own.
_pdi_words() {
  local offered
  COMPREPLY=()
  for offered in $1; do
    if [[ $offered == "$2"* ]]; then COMPREPLY+=("$3$offered"); fi
  done
}

_pdi_profiles() {
  # The names are the keys at the second level of config.json, set in by two blanks a level, or by tabs.
  local file="${PDI_CONFIG_DIR:-${XDG_CONFIG_HOME:-$HOME/.config}/pdi}/config.json"
  [[ -r $file ]] && sed -nE 's/^(\t\t|    )"([A-Za-z0-9._-]+)": \{.*/\2/p' "$file"
}

_pdi_fields() {
  local names='' done='' part="$2"
  case "$1" in
    'resolve') names='person_id full_name profnet_url' ;;
    'person') names='person_id last_updated talent_signal_ids investor_signal_ids profile_picture_url first_name last_name full_name profnet_url profnet_num_id profnet_urn twitter_url github_url about tagline location region highlights level_of_seniority years_of_experience education_level experience current_position_title current_position_company_name current_position_company_website past_position_title past_position_company_name past_position_company_website current_tenure average_tenure education languages skills profnet_followers profnet_connections' ;;
    'feed') names='signal_id signal_date signal_score signal_summary signal_type source_types signal_total_funding_usd signal_last_funding_date signal_last_funding_usd signal_investors entity_id company.name company.description company.website company.profnet_url company.twitter_url company.founded_year company.hq.city company.hq.state company.hq.country company.hq.continent company.industry company.tech_verticals company.is_industry_estimated company.customer_focus person.full_name person.description person.website person.profnet_url person.twitter_url person.founded_year person.location.city person.location.state person.location.country person.location.continent person.industry person.tech_verticals person.is_industry_estimated signal_source subject' ;;
    'revenue') names='id company_name domain est_revenue_usd latest_revenue_reported_usd latest_revenue_reported_date revenue_type est_revenue_growth_1m_pct est_revenue_growth_3m_pct est_revenue_growth_6m_pct est_revenue_growth_1y_pct est_revenue_growth_2y_pct' ;;
    'investors') names='investor_id investor_name strategic_signal_ids investor_types investment_stage industry_target svc_industry_target svc_tech_verticals_target fund_details portfolio_companies person_id company_id investor_rank company_size operating_status domain hq_location founded_year profnet_url twitter_url description number_of_exits number_of_lead_investments number_of_investments number_of_funds' ;;
    'lists companies list') names='id name is_global shared_with created_at updated_at company_count' ;;
    'lists companies delete') names='list_id deleted' ;;
    'lists people modify') names='id name created_at updated_at people' ;;
    'lists people delete') names='list_id deleted' ;;
    'lists investors get') names='id name created_at updated_at investors' ;;
    'lists investors delete') names='list_id deleted' ;;
    'searches funding-rounds') names='id name query_id product_type is_global full_count' ;;
    'searches talent') names='id name query_id product_type is_global full_count' ;;
    'network') names='person_id connected_on connected_at connected_teammates first_name last_name full_name headline profile_picture_url profnet_url twitter_url github_url primary_role current_company_id' ;;
    'health') names='status relational_store analytics_store' ;;
  esac
  if [[ $part == *,* ]]; then done="${part%,*},"; part="${part##*,}"; fi
  compopt -o nospace
  _pdi_words "$names" "$part" "$done"
}

# Only pdi can read a file's header. What was typed is never run: quotes and backslashes are taken away.
_pdi_columns() {
  local file='' done='' part="${1//[\\\"\']/}" offered i
  for ((i = 1; i < ${#COMP_WORDS[@]} - 1; i++)); do
    case "${COMP_WORDS[i]}" in
      -i|--input|--add-from|--delete-from)
        file="${COMP_WORDS[i+1]}"
        if [[ $file == '=' ]]; then file="${COMP_WORDS[i+2]-}"; fi ;;
    esac
  done
  file="${file//[\\\"\']/}"
  if [[ $file == '~/'* ]]; then file="$HOME${file:1}"; fi
  [[ -n $file ]] || return
  if [[ $part == *,* ]]; then done="${part%,*},"; part="${part##*,}"; fi
  compopt -o filenames
  while IFS= read -r offered; do
    if [[ $offered == "$part"* ]]; then COMPREPLY+=("$done$offered"); fi
  done < <(command pdi completion columns --of="$file" 2>/dev/null)
}

_pdi() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" path='' subcommands='' flags='' files='' i next
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --profile|--base-url|-o|--output|--max-billable|--budget|--max-age|--concurrency|--timeout|--retries|--max-wait|--rate|--fields|--explode|--where|--query|--out|--delimiter|--errors|--on-error|--people|--seed|--credits|--rate-limit|--latency|--out-of-credits-status|--fault|-i|--input|--input-format|--sheet|--encoding|--column|--header-row|--first|--accept|--as|-i|--input|--input-format|--sheet|--encoding|--column|--header-row|--first|--accept|--after|--before|--search|--list|--sort|--page|--limit|--max-pages|--since-last|--look-back|--deliver|-i|--input|--input-format|--sheet|--encoding|--column|--header-row|--first|--accept|--name|--website|-i|--input|--input-format|--sheet|--encoding|--column|--header-row|--first|--accept|--add|--add-from|--delete|--delete-from|--input-format|--sheet|--encoding|--column|--header-row|-i|--input|--input-format|--sheet|--encoding|--column|--header-row|--first|--accept|-i|--input|--input-format|--sheet|--encoding|--column|--header-row|--first|--accept|--page|--limit|--max-pages|--wait|--from|--input-format|--sheet|--encoding|--first|--since|--until|--by|--older-than|--to|--confirm|--tools|--config|--port) ((i++)); continue ;;
      -*) continue ;;
    esac
    next="${path:+$path }${COMP_WORDS[i]}"
    case "$next" in
      'resolve'|'person'|'feed'|'revenue'|'investors'|'lists'|'lists companies'|'lists companies list'|'lists companies delete'|'lists people'|'lists people modify'|'lists people delete'|'lists investors'|'lists investors get'|'lists investors delete'|'searches'|'searches funding-rounds'|'searches talent'|'network'|'health'|'config'|'config set'|'config unset'|'config get'|'config path'|'config list'|'config profiles'|'config check'|'config init'|'convert'|'spend'|'store'|'store forget'|'store purge'|'bookmarks'|'bookmarks reset'|'mcp'|'sandbox'|'completion'|'help'|'config set base-url'|'config set api-key'|'config set key-command'|'config set output'|'config set max-billable'|'config set budget'|'config set max-age'|'config set account'|'config set concurrency'|'config set timeout'|'help lists'|'help lists companies'|'help lists people'|'help lists investors'|'help searches'|'help config'|'help store'|'help bookmarks') path="$next" ;;
    esac
  done
  # A value may stand after an equals sign, which bash takes for a word of its own.
  if [[ $word == '=' ]]; then word=''; elif [[ $before == '=' ]]; then before="${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  if [[ $before == -* ]]; then
    case "$before" in
    --profile) _pdi_words "$(_pdi_profiles)" "$word"; return ;;
    --base-url) return ;;
    -o|--output) _pdi_words 'table json ndjson csv xlsx parquet' "$word"; return ;;
    --max-billable) return ;;
    --budget) return ;;
    --max-age) return ;;
    --concurrency) return ;;
    --timeout) return ;;
    --retries) return ;;
    --max-wait) return ;;
    --rate) return ;;
    --fields) _pdi_fields "$path" "$word"; return ;;
    --explode) return ;;
    --where) return ;;
    --query) return ;;
    --out) compopt -o filenames -o default; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --delimiter) return ;;
    --errors) _pdi_words 'json text' "$word"; return ;;
    --on-error) _pdi_words 'stop continue' "$word"; return ;;
    --people) return ;;
    --seed) return ;;
    --credits) return ;;
    --rate-limit) return ;;
    --latency) return ;;
    --out-of-credits-status) return ;;
    --fault) _pdi_words 'drop-after-billing slow truncate malformed reset 503 500 relational-store analytics-store' "$word"; return ;;
    -i|--input) compopt -o filenames -o default; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --input-format) _pdi_words 'lines csv tsv ndjson json xlsx' "$word"; return ;;
    --sheet) return ;;
    --encoding) return ;;
    --column) _pdi_columns "$word"; return ;;
    --header-row) return ;;
    --first) return ;;
    --accept) return ;;
    --as) _pdi_words 'url id num-id urn' "$word"; return ;;
    --after) return ;;
    --before) return ;;
    --search) return ;;
    --list) return ;;
    --sort) return ;;
    --page) return ;;
    --limit) return ;;
    --max-pages) return ;;
    --since-last) return ;;
    --look-back) return ;;
    --deliver) return ;;
    --name) return ;;
    --website) return ;;
    --add) return ;;
    --add-from) compopt -o filenames -o default; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --delete) return ;;
    --delete-from) compopt -o filenames -o default; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --wait) return ;;
    --from) return ;;
    --input-format) _pdi_words 'json ndjson csv tsv xlsx' "$word"; return ;;
    --since) return ;;
    --until) return ;;
    --by) _pdi_words 'day month command profile' "$word"; return ;;
    --older-than) return ;;
    --to) return ;;
    --confirm) _pdi_words 'always charged never' "$word"; return ;;
    --tools) return ;;
    --config) _pdi_words 'claude cursor vscode' "$word"; return ;;
    --port) return ;;
    esac
  fi
  case "$path" in
    '') subcommands='resolve person feed revenue investors lists searches network health config convert spend store bookmarks mcp sandbox completion help'; flags='' ;;
    'resolve') subcommands=''; flags='-i --input --input-format --sheet --encoding --column --header-row --first --accept --as' ;;
    'person') subcommands=''; flags='-i --input --input-format --sheet --encoding --column --header-row --first --accept' ;;
    'feed') subcommands=''; flags='--after --before --search --list --sort --page --limit --all --max-pages --since-last --look-back --deliver' ;;
    'revenue') subcommands=''; flags='-i --input --input-format --sheet --encoding --column --header-row --first --accept' ;;
    'investors') subcommands=''; flags='--name --website -i --input --input-format --sheet --encoding --column --header-row --first --accept' ;;
    'lists') subcommands='companies people investors'; flags='' ;;
    'lists companies') subcommands='list delete'; flags='' ;;
    'lists companies list') subcommands=''; flags='' ;;
    'lists companies delete') subcommands=''; flags='-y --yes' ;;
    'lists people') subcommands='modify delete'; flags='' ;;
    'lists people modify') subcommands=''; flags='--add --add-from --delete --delete-from --input-format --sheet --encoding --column --header-row' ;;
    'lists people delete') subcommands=''; flags='-y --yes' ;;
    'lists investors') subcommands='get delete'; flags='' ;;
    'lists investors get') subcommands=''; flags='' ;;
    'lists investors delete') subcommands=''; flags='-y --yes' ;;
    'searches') subcommands='funding-rounds talent'; flags='' ;;
    'searches funding-rounds') subcommands=''; flags='-i --input --input-format --sheet --encoding --column --header-row --first --accept' ;;
    'searches talent') subcommands=''; flags='-i --input --input-format --sheet --encoding --column --header-row --first --accept' ;;
    'network') subcommands=''; flags='--page --limit --all --max-pages' ;;
    'health') subcommands=''; flags='--wait' ;;
    'config') subcommands='set unset get path list profiles check init'; flags='' ;;
    'config set') subcommands='base-url api-key key-command output max-billable budget max-age account concurrency timeout'; flags='' ;;
    'config unset') subcommands='base-url api-key key-command output max-billable budget max-age account concurrency timeout'; flags='' ;;
    'config get') subcommands='base-url api-key key-command output max-billable budget max-age account concurrency timeout'; flags='' ;;
    'config path') subcommands=''; flags='' ;;
    'config list') subcommands=''; flags='' ;;
    'config profiles') subcommands=''; flags='' ;;
    'config check') subcommands=''; flags='' ;;
    'config init') subcommands=''; flags='' ;;
    'convert') subcommands=''; flags='--from --input-format --sheet --encoding --first'; files=yes ;;
    'spend') subcommands=''; flags='--since --until --by' ;;
    'store') subcommands='forget purge'; flags='' ;;
    'store forget') subcommands=''; flags='' ;;
    'store purge') subcommands=''; flags='--older-than --all --yes' ;;
    'bookmarks') subcommands='reset'; flags='' ;;
    'bookmarks reset') subcommands=''; flags='--to' ;;
    'mcp') subcommands=''; flags='--confirm --allow-changes --read-only --tools --config' ;;
    'sandbox') subcommands=''; flags='--port' ;;
    'completion') subcommands='bash zsh fish powershell'; flags='' ;;
    'help') subcommands='resolve person feed revenue investors lists searches network health config convert spend store bookmarks mcp sandbox completion exit-codes environment output jobs spreadsheets money ci'; flags='' ;;
    'config set base-url') subcommands=''; flags='' ;;
    'config set api-key') subcommands=''; flags='' ;;
    'config set key-command') subcommands=''; flags='' ;;
    'config set output') subcommands='table json ndjson csv xlsx parquet'; flags='' ;;
    'config set max-billable') subcommands=''; flags='' ;;
    'config set budget') subcommands=''; flags='' ;;
    'config set max-age') subcommands=''; flags='' ;;
    'config set account') subcommands=''; flags='' ;;
    'config set concurrency') subcommands=''; flags='' ;;
    'config set timeout') subcommands=''; flags='' ;;
    'help lists') subcommands='companies people investors'; flags='' ;;
    'help lists companies') subcommands='list delete'; flags='' ;;
    'help lists people') subcommands='modify delete'; flags='' ;;
    'help lists investors') subcommands='get delete'; flags='' ;;
    'help searches') subcommands='funding-rounds talent'; flags='' ;;
    'help config') subcommands='set unset get path list profiles check init'; flags='' ;;
    'help store') subcommands='forget purge'; flags='' ;;
    'help bookmarks') subcommands='reset'; flags='' ;;
  esac
  if [[ $word == -* ]]; then
    _pdi_words "$flags -V --version --profile --base-url -o --output --max-billable --budget --max-age --concurrency --timeout --retries --max-wait --rate --fields --explode --where --query --out --with-input --force --no-header --delimiter --bom --no-formula-guard --text-ids --color --no-color --errors -q --quiet --verbose --dry-run --fail-if-empty --on-error --fresh --retry-unknown --restart --allow-http --no-input --sandbox --people --seed --credits --rate-limit --latency --out-of-credits-status --fault -h --help" "$word"
  elif [[ -n $files ]]; then
    compopt -o filenames -o default; mapfile -t COMPREPLY < <(compgen -f -- "$word")
  else
    _pdi_words "$subcommands" "$word"
  fi
}

complete -F _pdi pdi
