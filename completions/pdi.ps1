# PowerShell completion for pdi, which is asked itself
Register-ArgumentCompleter -Native -CommandName pdi -ScriptBlock {
  param($word, $ast, $cursor)
  $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { '.' + $_.ToString() })
  if ($word -ne '') { $typed = @($typed | Select-Object -SkipLast 1) }
  $kind, $lines = & pdi completion words @typed ".$word" 2>$null
  # Without an answer of its own, PowerShell completes paths.
  if ($kind -eq 'files') { return }
  foreach ($line in $lines) {
    $name, $description = $line -split "`t", 2
    $shown = if ($kind -eq 'names' -and $name -match '[^\w.,-]') { "'" + $name.Replace("'", "''") + "'" } else { $name }
    [System.Management.Automation.CompletionResult]::new($shown, $name, 'ParameterValue', $(if ($description) { $description } else { $name }))
  }
}
