# PowerShell completion for pdi; generated from its command tree

function Get-PdiProfile {
  $folder = if ($env:PDI_CONFIG_DIR) { $env:PDI_CONFIG_DIR } elseif ($env:XDG_CONFIG_HOME) { Join-Path $env:XDG_CONFIG_HOME 'pdi' }
    elseif ($env:APPDATA) { Join-Path $env:APPDATA 'pdi' } else { Join-Path $HOME '.config/pdi' }
  $file = Join-Path $folder 'config.json'
  if (Test-Path $file) { (Get-Content -Raw $file | ConvertFrom-Json).profiles.PSObject.Properties.Name }
}

# Only pdi can read a file's header. A name with blanks needs quotes.
function Get-PdiColumn($typed) {
  $file = ''
  for ($i = 1; $i -lt $typed.Count; $i++) {
    if (@('-i', '--input', '--add-from', '--delete-from') -ccontains $typed[$i - 1]) { $file = $typed[$i].Trim("'", '"') }
  }
  if ($file -eq '') { return }
  & pdi completion columns "--of=$file" 2>$null | ForEach-Object {
    if ($_ -match '[^\w.-]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
  }
}

Register-ArgumentCompleter -Native -CommandName pdi -ScriptBlock {
  param($word, $ast, $cursor)
  $subcommands = @{
    '' = @('resolve', 'person', 'feed', 'revenue', 'investors', 'lists', 'searches', 'network', 'health', 'config', 'convert', 'spend', 'store', 'bookmarks', 'mcp', 'sandbox', 'completion', 'help')
    'resolve' = @()
    'person' = @()
    'feed' = @()
    'revenue' = @()
    'investors' = @()
    'lists' = @('companies', 'people', 'investors')
    'lists companies' = @('list', 'delete')
    'lists companies list' = @()
    'lists companies delete' = @()
    'lists people' = @('modify', 'delete')
    'lists people modify' = @()
    'lists people delete' = @()
    'lists investors' = @('get', 'delete')
    'lists investors get' = @()
    'lists investors delete' = @()
    'searches' = @('funding-rounds', 'talent')
    'searches funding-rounds' = @()
    'searches talent' = @()
    'network' = @()
    'health' = @()
    'config' = @('set', 'unset', 'get', 'path', 'list', 'profiles', 'check', 'init')
    'config set' = @('base-url', 'api-key', 'key-command', 'output', 'max-billable', 'budget', 'max-age', 'account', 'concurrency', 'timeout')
    'config unset' = @('base-url', 'api-key', 'key-command', 'output', 'max-billable', 'budget', 'max-age', 'account', 'concurrency', 'timeout')
    'config get' = @('base-url', 'api-key', 'key-command', 'output', 'max-billable', 'budget', 'max-age', 'account', 'concurrency', 'timeout')
    'config path' = @()
    'config list' = @()
    'config profiles' = @()
    'config check' = @()
    'config init' = @()
    'convert' = @()
    'spend' = @()
    'store' = @('forget', 'purge')
    'store forget' = @()
    'store purge' = @()
    'bookmarks' = @('reset')
    'bookmarks reset' = @()
    'mcp' = @()
    'sandbox' = @()
    'completion' = @('bash', 'zsh', 'fish', 'powershell')
    'help' = @('resolve', 'person', 'feed', 'revenue', 'investors', 'lists', 'searches', 'network', 'health', 'config', 'convert', 'spend', 'store', 'bookmarks', 'mcp', 'sandbox', 'completion', 'exit-codes', 'environment', 'output', 'jobs', 'spreadsheets', 'money', 'ci')
    'config set base-url' = @()
    'config set api-key' = @()
    'config set key-command' = @()
    'config set output' = @('table', 'json', 'ndjson', 'csv', 'xlsx', 'parquet')
    'config set max-billable' = @()
    'config set budget' = @()
    'config set max-age' = @()
    'config set account' = @()
    'config set concurrency' = @()
    'config set timeout' = @()
    'help lists' = @('companies', 'people', 'investors')
    'help lists companies' = @('list', 'delete')
    'help lists people' = @('modify', 'delete')
    'help lists investors' = @('get', 'delete')
    'help searches' = @('funding-rounds', 'talent')
    'help config' = @('set', 'unset', 'get', 'path', 'list', 'profiles', 'check', 'init')
    'help store' = @('forget', 'purge')
    'help bookmarks' = @('reset')
  }
  $flags = @{
    '' = @()
    'resolve' = @('-i', '--input', '--input-format', '--sheet', '--encoding', '--column', '--header-row', '--first', '--accept', '--as')
    'person' = @('-i', '--input', '--input-format', '--sheet', '--encoding', '--column', '--header-row', '--first', '--accept')
    'feed' = @('--after', '--before', '--search', '--list', '--sort', '--page', '--limit', '--all', '--max-pages', '--since-last', '--look-back', '--deliver')
    'revenue' = @('-i', '--input', '--input-format', '--sheet', '--encoding', '--column', '--header-row', '--first', '--accept')
    'investors' = @('--name', '--website', '-i', '--input', '--input-format', '--sheet', '--encoding', '--column', '--header-row', '--first', '--accept')
    'lists' = @()
    'lists companies' = @()
    'lists companies list' = @()
    'lists companies delete' = @('-y', '--yes')
    'lists people' = @()
    'lists people modify' = @('--add', '--add-from', '--delete', '--delete-from', '--input-format', '--sheet', '--encoding', '--column', '--header-row')
    'lists people delete' = @('-y', '--yes')
    'lists investors' = @()
    'lists investors get' = @()
    'lists investors delete' = @('-y', '--yes')
    'searches' = @()
    'searches funding-rounds' = @('-i', '--input', '--input-format', '--sheet', '--encoding', '--column', '--header-row', '--first', '--accept')
    'searches talent' = @('-i', '--input', '--input-format', '--sheet', '--encoding', '--column', '--header-row', '--first', '--accept')
    'network' = @('--page', '--limit', '--all', '--max-pages')
    'health' = @('--wait')
    'config' = @()
    'config set' = @()
    'config unset' = @()
    'config get' = @()
    'config path' = @()
    'config list' = @()
    'config profiles' = @()
    'config check' = @()
    'config init' = @()
    'convert' = @('--from', '--input-format', '--sheet', '--encoding', '--first')
    'spend' = @('--since', '--until', '--by')
    'store' = @()
    'store forget' = @()
    'store purge' = @('--older-than', '--all', '--yes')
    'bookmarks' = @()
    'bookmarks reset' = @('--to')
    'mcp' = @('--confirm', '--allow-changes', '--read-only', '--tools', '--config')
    'sandbox' = @('--port')
    'completion' = @()
    'help' = @()
    'config set base-url' = @()
    'config set api-key' = @()
    'config set key-command' = @()
    'config set output' = @()
    'config set max-billable' = @()
    'config set budget' = @()
    'config set max-age' = @()
    'config set account' = @()
    'config set concurrency' = @()
    'config set timeout' = @()
    'help lists' = @()
    'help lists companies' = @()
    'help lists people' = @()
    'help lists investors' = @()
    'help searches' = @()
    'help config' = @()
    'help store' = @()
    'help bookmarks' = @()
  }
  $everywhere = @('-V', '--version', '--profile', '--base-url', '-o', '--output', '--max-billable', '--budget', '--max-age', '--concurrency', '--timeout', '--retries', '--max-wait', '--rate', '--fields', '--explode', '--where', '--query', '--out', '--with-input', '--force', '--no-header', '--delimiter', '--bom', '--no-formula-guard', '--text-ids', '--color', '--no-color', '--errors', '-q', '--quiet', '--verbose', '--dry-run', '--fail-if-empty', '--on-error', '--fresh', '--retry-unknown', '--restart', '--allow-http', '--no-input', '--sandbox', '--people', '--seed', '--credits', '--rate-limit', '--latency', '--out-of-credits-status', '--fault', '-h', '--help')
  $fields = @{
    'resolve' = @('person_id', 'full_name', 'profnet_url')
    'person' = @('person_id', 'last_updated', 'talent_signal_ids', 'investor_signal_ids', 'profile_picture_url', 'first_name', 'last_name', 'full_name', 'profnet_url', 'profnet_num_id', 'profnet_urn', 'twitter_url', 'github_url', 'about', 'tagline', 'location', 'region', 'highlights', 'level_of_seniority', 'years_of_experience', 'education_level', 'experience', 'current_position_title', 'current_position_company_name', 'current_position_company_website', 'past_position_title', 'past_position_company_name', 'past_position_company_website', 'current_tenure', 'average_tenure', 'education', 'languages', 'skills', 'profnet_followers', 'profnet_connections')
    'feed' = @('signal_id', 'signal_date', 'signal_score', 'signal_summary', 'signal_type', 'source_types', 'signal_total_funding_usd', 'signal_last_funding_date', 'signal_last_funding_usd', 'signal_investors', 'entity_id', 'company.name', 'company.description', 'company.website', 'company.profnet_url', 'company.twitter_url', 'company.founded_year', 'company.hq.city', 'company.hq.state', 'company.hq.country', 'company.hq.continent', 'company.industry', 'company.tech_verticals', 'company.is_industry_estimated', 'company.customer_focus', 'person.full_name', 'person.description', 'person.website', 'person.profnet_url', 'person.twitter_url', 'person.founded_year', 'person.location.city', 'person.location.state', 'person.location.country', 'person.location.continent', 'person.industry', 'person.tech_verticals', 'person.is_industry_estimated', 'signal_source', 'subject')
    'revenue' = @('id', 'company_name', 'domain', 'est_revenue_usd', 'latest_revenue_reported_usd', 'latest_revenue_reported_date', 'revenue_type', 'est_revenue_growth_1m_pct', 'est_revenue_growth_3m_pct', 'est_revenue_growth_6m_pct', 'est_revenue_growth_1y_pct', 'est_revenue_growth_2y_pct')
    'investors' = @('investor_id', 'investor_name', 'strategic_signal_ids', 'investor_types', 'investment_stage', 'industry_target', 'svc_industry_target', 'svc_tech_verticals_target', 'fund_details', 'portfolio_companies', 'person_id', 'company_id', 'investor_rank', 'company_size', 'operating_status', 'domain', 'hq_location', 'founded_year', 'profnet_url', 'twitter_url', 'description', 'number_of_exits', 'number_of_lead_investments', 'number_of_investments', 'number_of_funds')
    'lists companies list' = @('id', 'name', 'is_global', 'shared_with', 'created_at', 'updated_at', 'company_count')
    'lists companies delete' = @('list_id', 'deleted')
    'lists people modify' = @('id', 'name', 'created_at', 'updated_at', 'people')
    'lists people delete' = @('list_id', 'deleted')
    'lists investors get' = @('id', 'name', 'created_at', 'updated_at', 'investors')
    'lists investors delete' = @('list_id', 'deleted')
    'searches funding-rounds' = @('id', 'name', 'query_id', 'product_type', 'is_global', 'full_count')
    'searches talent' = @('id', 'name', 'query_id', 'product_type', 'is_global', 'full_count')
    'network' = @('person_id', 'connected_on', 'connected_at', 'connected_teammates', 'first_name', 'last_name', 'full_name', 'headline', 'profile_picture_url', 'profnet_url', 'twitter_url', 'github_url', 'primary_role', 'current_company_id')
    'health' = @('status', 'relational_store', 'analytics_store')
  }
  $taking = @('--profile', '--base-url', '-o', '--output', '--max-billable', '--budget', '--max-age', '--concurrency', '--timeout', '--retries', '--max-wait', '--rate', '--fields', '--explode', '--where', '--query', '--out', '--delimiter', '--errors', '--on-error', '--people', '--seed', '--credits', '--rate-limit', '--latency', '--out-of-credits-status', '--fault', '-i', '--input', '--input-format', '--sheet', '--encoding', '--column', '--header-row', '--first', '--accept', '--as', '--after', '--before', '--search', '--list', '--sort', '--page', '--limit', '--max-pages', '--since-last', '--look-back', '--deliver', '--name', '--website', '--add', '--add-from', '--delete', '--delete-from', '--wait', '--from', '--since', '--until', '--by', '--older-than', '--to', '--confirm', '--tools', '--config', '--port')
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
    '--profile' { (Get-PdiProfile); break }
    '--base-url' { @(); break }
    '-o' { @('table', 'json', 'ndjson', 'csv', 'xlsx', 'parquet'); break }
    '--output' { @('table', 'json', 'ndjson', 'csv', 'xlsx', 'parquet'); break }
    '--max-billable' { @(); break }
    '--budget' { @(); break }
    '--max-age' { @(); break }
    '--concurrency' { @(); break }
    '--timeout' { @(); break }
    '--retries' { @(); break }
    '--max-wait' { @(); break }
    '--rate' { @(); break }
    '--fields' { $fields[$path]; break }
    '--explode' { @(); break }
    '--where' { @(); break }
    '--query' { @(); break }
    '--out' { $null; break }
    '--delimiter' { @(); break }
    '--errors' { @('json', 'text'); break }
    '--on-error' { @('stop', 'continue'); break }
    '--people' { @(); break }
    '--seed' { @(); break }
    '--credits' { @(); break }
    '--rate-limit' { @(); break }
    '--latency' { @(); break }
    '--out-of-credits-status' { @(); break }
    '--fault' { @('drop-after-billing', 'slow', 'truncate', 'malformed', 'reset', '503', '500', 'relational-store', 'analytics-store'); break }
    '-i' { $null; break }
    '--input' { $null; break }
    '--input-format' { @('json', 'ndjson', 'csv', 'tsv', 'xlsx'); break }
    '--sheet' { @(); break }
    '--encoding' { @(); break }
    '--column' { (Get-PdiColumn $typed); break }
    '--header-row' { @(); break }
    '--first' { @(); break }
    '--accept' { @(); break }
    '--as' { @('url', 'id', 'num-id', 'urn'); break }
    '--after' { @(); break }
    '--before' { @(); break }
    '--search' { @(); break }
    '--list' { @(); break }
    '--sort' { @(); break }
    '--page' { @(); break }
    '--limit' { @(); break }
    '--max-pages' { @(); break }
    '--since-last' { @(); break }
    '--look-back' { @(); break }
    '--deliver' { @(); break }
    '--name' { @(); break }
    '--website' { @(); break }
    '--add' { @(); break }
    '--add-from' { $null; break }
    '--delete' { @(); break }
    '--delete-from' { $null; break }
    '--wait' { @(); break }
    '--from' { @(); break }
    '--since' { @(); break }
    '--until' { @(); break }
    '--by' { @('day', 'month', 'command', 'profile'); break }
    '--older-than' { @(); break }
    '--to' { @(); break }
    '--confirm' { @('always', 'charged', 'never'); break }
    '--tools' { @(); break }
    '--config' { @('claude', 'cursor', 'vscode'); break }
    '--port' { @(); break }
    default { if ($word -like '-*') { $flags[$path] + $everywhere } else { $subcommands[$path] } }
  }
  $done = if ($before -eq '--fields' -and $word -match '^(.*,)') { $Matches[1] } else { '' }
  $offered | Where-Object { "$done$_" -like "$word*" } | ForEach-Object { "$done$_" }
}
