/** The help topics by their names. Each explains what holds for many commands. */
import type { Topic } from '../topic.ts';
import type { TopicName } from '../topic-names.ts';
import { ciTopic } from './ci.ts';
import { environmentTopic } from './environment.ts';
import { exitCodesTopic } from './exit-codes.ts';
import { inputTopic } from './input.ts';
import { jobsTopic } from './jobs.ts';
import { mcpTopic } from './mcp.ts';
import { moneyTopic } from './money.ts';
import { outputTopic } from './output.ts';
import { sandboxTopic } from './sandbox.ts';
import { spreadsheetsTopic } from './spreadsheets.ts';

export const topics: Readonly<Record<TopicName, Topic>> = {
  'exit-codes': exitCodesTopic,
  environment: environmentTopic,
  output: outputTopic,
  input: inputTopic,
  jobs: jobsTopic,
  spreadsheets: spreadsheetsTopic,
  money: moneyTopic,
  sandbox: sandboxTopic,
  ci: ciTopic,
  mcp: mcpTopic,
};
