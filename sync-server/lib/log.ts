import { fstatSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'

/** At most this much waits to be written; drops and counts anything more. */
const waitingMaxCharacters = 1024 * 1024

/** How much to write at a time: this much can hang in a pipe that nobody reads. */
const writtenAtOnce = 64 * 1024

const retryMs = 1_000

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

type LogDestination = ReturnType<typeof createLogDestination>

/**
 * Writes lines to a stream that may fail (a full disk) or block forever (a pipe that nobody reads),
 * without blocking or ending the process: queues lines, drops further ones, and reports how many
 * with the next line that it can write.
 * @param open called again after each failed write
 * @param describeLost makes the line that reports lost ones
 */
export function createLogDestination(options: {
  open: () => Writable
  describeLost: (count: number) => string
}) {
  const { describeLost } = options
  const state = {
    stream: undefined as Writable | undefined,
    waiting: [] as string[],
    characters: 0,
    isWriting: false,
    /** Lines that are being written. */
    handedOver: 0,
    /** Was the last write torn? The next one must start on a new line. */
    isTorn: false,
    untold: 0,
    lost: 0,
    retry: undefined as NodeJS.Timeout | undefined,
    idle: [] as (() => void)[],
  }

  function open(): Writable {
    if (!state.stream) {
      // A failed write reports to its own callback; without a listener it would end the process.
      state.stream = options.open().off('error', ignore).on('error', ignore)
      process.off('exit', writeRest).on('exit', writeRest)
    }
    return state.stream
  }

  /** At exit: writes whatever is possible synchronously. */
  function writeRest() {
    const rest = state.waiting.slice(state.isWriting ? state.handedOver : 0)
    if (rest.length > 0) open().write(rest.join(''))
  }

  function takePart(): { text: string; count: number; told: number } {
    const told = state.untold
    const notes = [state.isTorn ? '\n' : '', told > 0 ? describeLost(told) : '']
    let length = 0
    const end = state.waiting.findIndex((line) => {
      length += line.length
      return length > writtenAtOnce
    })
    const count = end === -1 ? state.waiting.length : Math.max(end, 1)
    return { text: notes.join('') + state.waiting.slice(0, count).join(''), count, told }
  }

  function writeOn() {
    if (state.isWriting || state.retry) return
    if (state.waiting.length === 0) {
      for (const resolve of state.idle.splice(0)) resolve()
      return
    }
    const { text, count, told } = takePart()
    state.isWriting = true
    state.handedOver = count
    open().write(text, (error) => {
      state.isWriting = false
      state.isTorn = Boolean(error)
      if (error) {
        state.stream = undefined
        state.retry = setTimeout(retry, retryMs).unref()
        return
      }
      const written = state.waiting.splice(0, count)
      state.characters -= written.reduce((sum, line) => sum + line.length, 0)
      state.untold -= told
      writeOn()
    })
  }

  function retry() {
    state.retry = undefined
    writeOn()
  }

  return {
    write(line: string) {
      if (state.characters + line.length > waitingMaxCharacters) {
        state.untold += 1
        state.lost += 1
        return
      }
      state.waiting.push(line)
      state.characters += line.length
      writeOn()
    },
    /** Resolves when all lines are written, or after `withinMs`. */
    async drain({ withinMs }: { withinMs: number }): Promise<void> {
      if (state.waiting.length === 0) return
      await new Promise<void>((resolve) => {
        const deadline = setTimeout(resolve, withinMs)
        state.idle.push(() => {
          clearTimeout(deadline)
          resolve()
        })
      })
    },
    /** Lines since the start that were never written. */
    countLost: () => state.lost,
  }
}

function ignore() {}
