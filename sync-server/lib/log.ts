import { pino } from 'pino'
import { createLogDestination, type LogDestination } from './log-destination.ts'
import { openStandardOutput } from './open-standard-output.ts'

/**
 * Field names that could carry a secret or a message text into a log line, at any of three depths.
 */
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

/** Standard output, for a log. The server keeps running if it cannot write there. */
export function openStandardLog(): LogDestination {
  return createLogDestination({ open: openStandardOutput, describeLost })
}

/**
 * One JSON object a line. Redacts secrets and message texts wherever they are passed in.
 * @param destination receives the lines
 */
export function createLog(level: string, destination: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap(atEveryDepth), censor: '[removed]' },
  }
  return pino(options, destination)
}

function describeLost(count: number): string {
  const time = new Date().toISOString()
  const msg = 'lines before this one were lost: the log could not be written'
  return `${JSON.stringify({ level: pino.levels.values.warn, time, lost: count, msg })}\n`
}

function atEveryDepth(name: string): string[] {
  const joined = name.startsWith('[') ? name : `.${name}`
  return [name, `*${joined}`, `*.*${joined}`]
}
