import { fstatSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { createLogDestination, type LogDestination } from './log-destination.ts'

const standardOutput = 1

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

/**
 * Standard output as a stream that reports short writes: on a nearly full disk Node's own takes a
 * part of a text for the whole. On a pipe it never blocks on the reader.
 */
function openStandardOutput(): Writable {
  const kind = fstatSync(standardOutput)
  return kind.isFIFO() || kind.isSocket() ? process.stdout : openFile(standardOutput)
}

function openFile(file: number): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const bytes = new Uint8Array(chunk)
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
        done()
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })
}
