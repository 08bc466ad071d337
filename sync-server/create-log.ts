import { pino } from 'pino'

/** Names under which a secret or somebody's words could reach a log line, at any of three depths. */
const secretNames = [
  'authorization',
  'cookie',
  'password',
  'currentPassword',
  'newPassword',
  'passwordHash',
  'token',
  'jwtSecret',
  'content',
  '["sec-websocket-protocol"]',
  '["set-cookie"]',
]

export type Log = pino.Logger

/**
 * One JSON object a line, on stdout. Secrets and message texts are removed wherever they are passed in.
 * @param destination for tests: receives the lines instead of stdout.
 */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap(atEveryDepth), censor: '[removed]' },
  }
  return destination ? pino(options, destination) : pino(options)
}

function atEveryDepth(name: string): string[] {
  const joined = name.startsWith('[') ? name : `.${name}`
  return [name, `*${joined}`, `*.*${joined}`]
}
