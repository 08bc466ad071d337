import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { ActionRefused, type ActionResult } from '../admin/admin-actions.ts'
import { askServer, DoorClosed } from '../admin/admin-door.ts'
import { type Command, type CommandGroup, CommandRefused, type Given } from './command-line.ts'

type Input = Record<string, unknown>

interface Shape {
  summary: string
  details?: string
  words?: readonly string[]
  options?: Command['options']
  /** Whether it asks before it acts, as what cannot be undone does. */
  isAsked?: boolean
  input?(given: Given): Input
}

const reason = { reason: { kind: 'value', help: 'why, for the audit log' } } as const
const named = ({ words: [name] }: Given): Input => ({ name })
const byId = ({ words: [id] }: Given): Input => ({ id })

/** A whole number; anything else is left to the action, which has words for it. */
function number(text: string | true | undefined): unknown {
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text
}

const someone = { words: ['name'], options: reason, input: named }
const report = { words: ['id'], options: reason, input: byId }

const people: Record<string, Shape> = {
  list: {
    summary: 'everybody, or those whose name or email contains a text',
    words: ['[search]'],
    options: { limit: { kind: 'value', help: 'at most so many: 100 without it' } },
    input: ({ words: [search], options: { limit } }) => ({ search, limit: number(limit) }),
  },
  show: { summary: 'one person: sign-ins, storage, reports', words: ['name'], input: named },
  disable: { summary: 'ends all sign-ins at once, and lets nobody sign in again', ...someone },
  enable: { summary: 'lets somebody sign in again', ...someone },
  delete: {
    summary: 'deletes an account with everything but what others received',
    ...someone,
    isAsked: true,
  },
  'sign-out': { summary: 'ends all sign-ins of a person', ...someone },
  quota: {
    summary: 'what one person may store, in MB; without a figure, what everybody may',
    words: ['name', '[megabytes]'],
    options: reason,
    input: ({ words: [name, megabytes] }) => ({ name, megabytes: number(megabytes) }),
  },
  rename: {
    summary: 'gives somebody another name, where theirs offends',
    words: ['name', 'new-name'],
    options: reason,
    input: ({ words: [name, to] }) => ({ name, to }),
  },
  'release-name': {
    summary: 'gives the name of a deleted account to whoever registers it next',
    ...someone,
    details: 'Without it the name is held for 30 days, or a year after a report about the account.',
  },
  'prove-phone': {
    summary: 'says whose a phone number is: who only claims it loses it',
    words: ['name', 'number'],
    options: reason,
    input: ({ words: [name, phone] }) => ({ name, number: phone }),
    details: 'Be sure of it first: the number is also a name to sign in with.',
  },
}

const reports: Record<string, Shape> = {
  list: {
    summary: 'reports that wait',
    options: { all: { kind: 'flag', help: 'those that were answered too' } },
    input: ({ options: { all } }) => ({ all: all === true }),
  },
  show: { summary: 'one report, whole', words: ['id'], input: byId },
  dismiss: { summary: 'closes a report; its reporter hears of it', ...report },
  warn: {
    summary: 'sends the reported person a warning; the reporter hears of it',
    words: ['id'],
    options: { ...reason, text: { kind: 'value', help: 'the words of the warning' } },
    input: ({ words: [id], options: { text } }) => ({ id, text }),
  },
  disable: { summary: 'disables the reported account; the reporter hears of it', ...report },
}

const invites: Record<string, Shape> = {
  create: {
    summary: 'an invitation; its link is shown once',
    options: {
      uses: { kind: 'value', help: 'for so many people: 1 without it' },
      days: { kind: 'value', help: 'for so many days: 7 without it' },
      ...reason,
    },
    input: ({ options: { uses, days } }) => ({ uses: number(uses), days: number(days) }),
  },
  list: { summary: 'invitations that admit somebody' },
  revoke: { summary: 'ends an invitation', ...report },
}

const single: Record<string, Shape> = {
  'reset-password': {
    summary: 'a link that sets a new password, once, within half an hour',
    ...someone,
    details: 'Give it to that person alone. Until they use it, their password and sign-ins stay.',
  },
  grant: {
    summary: 'makes somebody an admin',
    ...someone,
    details: 'They administer in the app, with a second factor that they set up there.',
  },
  revoke: { summary: 'takes the rights and the second factor of an admin away', ...someone },
  announce: {
    summary: 'a message to everybody from the server',
    words: ['text …'],
    options: reason,
    input: ({ words }) => ({ text: words.join(' ') }),
  },
  health: { summary: 'how the server is' },
  audit: {
    summary: 'what was done, the latest first',
    options: { limit: { kind: 'value', help: 'so many: 50 without it' } },
    input: ({ options: { limit } }) => ({ limit: number(limit) }),
  },
}

/** `petrel admin …`: each asks the server that has this folder, over its socket. */
export function createAdminCommands(options: {
  readDataDir: (given: Given) => string
  print: (text: string) => void
  ask?: (question: string) => Promise<string>
}): CommandGroup {
  const { readDataDir, print, ask = askAtTerminal } = options

  function toCommand(action: string, shape: Shape): Command {
    const { summary, details, words = [], input = () => ({}) } = shape
    return {
      summary,
      ...(details !== undefined && { details }),
      words,
      options: {
        ...shape.options,
        ...(shape.isAsked && { yes: { kind: 'flag', help: 'does it without asking' } }),
        json: { kind: 'flag', help: 'answers with JSON, for scripts' },
        'data-dir': { kind: 'value', help: 'the folder of the server: DATA_DIR, or ./data' },
      },
      async run(given) {
        if (shape.isAsked && given.options.yes !== true) await requireYes(given)
        const filled = { ...input(given), reason: given.options.reason }
        const result = await askWithWords(readDataDir(given), { action, input: filled })
        print(given.options.json === true ? `${JSON.stringify(result)}\n` : describe(result))
      },
    }
  }

  async function requireYes({ words: [name] }: Given) {
    const answer = await ask(`This cannot be undone. Type ${name} to go on: `)
    if (answer.trim() !== name) throw new CommandRefused('Nothing was done.')
  }

  const toCommands = (prefix: string, shapes: Record<string, Shape>) =>
    Object.fromEntries(
      Object.entries(shapes).map(([word, shape]) => [word, toCommand(`${prefix}${word}`, shape)]),
    )

  return {
    summary: 'administers a server that runs on this machine',
    details:
      'Only the user who runs the server can. Every change is kept in the audit log, with --reason.',
    commands: {
      people: { summary: 'who is here', commands: toCommands('people ', people) },
      reports: { summary: 'what people reported', commands: toCommands('reports ', reports) },
      invites: { summary: 'who may come in', commands: toCommands('invites ', invites) },
      ...toCommands('', single),
    },
  }
}

/** `petrel export-person`: asks the server that has this folder, which writes the file. */
export function createExportCommand(options: {
  readDataDir: (given: Given) => string
  print: (text: string) => void
}): Command {
  const { readDataDir, print } = options
  return {
    summary: 'writes what is kept about a person into a file, as for a request by law',
    words: ['name', '[file]'],
    options: {
      ...reason,
      json: { kind: 'flag', help: 'answers with JSON, for scripts' },
      'data-dir': { kind: 'value', help: 'the folder of the server: DATA_DIR, or ./data' },
    },
    details:
      'It is what the person can download themselves: account, sign-ins, chats, messages, reports. What is\n' +
      'encrypted stays so: nobody but the two people has its keys. Kept in the audit log, with --reason.',
    async run(given) {
      const [name = '', file = `petrel-${name.replace(/[^\p{L}\p{N}._-]/gu, '_')}.json`] =
        given.words
      const input = { name, file: resolve(file), reason: given.options.reason }
      const made = await askWithWords(readDataDir(given), { action: 'export-person', input })
      const size = `${(Number(made.bytes) / 1e6).toFixed(1)} MB`
      print(
        given.options.json === true
          ? `${JSON.stringify(made)}\n`
          : `${made.file}: what is kept about ${made.name}, ${size}.\n`,
      )
    },
  }
}

/** @throws CommandRefused with the words of the server, or what to do where none answers */
async function askWithWords(
  dataDir: string,
  asking: { action: string; input: Input },
): Promise<ActionResult> {
  try {
    return await askServer(dataDir, asking)
  } catch (error) {
    if (error instanceof ActionRefused) throw new CommandRefused(error.message, { cause: error })
    if (error instanceof DoorClosed) {
      throw new CommandRefused(
        `No server runs with the folder ${dataDir}. Start one, or name its folder: --data-dir, or DATA_DIR.`,
        { cause: error },
      )
    }
    if ((error as NodeJS.ErrnoException).code === 'EACCES') {
      throw new CommandRefused(
        `Only the user who runs the server may administer it: ${dataDir} belongs to somebody else. Try it as that user, as with sudo.`,
        { cause: error },
      )
    }
    throw error
  }
}

async function askAtTerminal(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandRefused('Add --yes to do this without a terminal.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/** A sentence, or else rows and tables. */
function describe({ said, ...rest }: ActionResult): string {
  if (said !== undefined) return `${said}\n`
  // What a page draws is of no use in a terminal.
  const entries = Object.entries(rest).filter(([name]) => name !== 'history')
  const [[, only] = []] = entries
  if (entries.length === 1 && Array.isArray(only)) return describeTable(only)
  const width = Math.max(...entries.map(([name]) => name.length))
  const rows = entries.map(([name, value]) => `${name.padEnd(width)}  ${describeValue(value)}`)
  return `${rows.join('\n')}\n`
}

function describeTable(rows: readonly Record<string, unknown>[]): string {
  const [first] = rows
  if (!first) return 'There is nothing.\n'
  // Messages that came with a report: `show` has room for them.
  const names = Object.keys(first).filter((name) => name !== 'messages')
  const lines = [names, ...rows.map((row) => names.map((name) => describeValue(row[name])))]
  const widths = names.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const shown = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${shown.join('\n')}\n`
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) {
    const parts = value.map((one) =>
      typeof one === 'object' && one ? Object.values(one).map(describeValue).join(', ') : one,
    )
    return parts.map(describeValue).join('; ') || '–'
  }
  // A name or a reason must not write over the terminal.
  return String(value).replace(/\p{Cc}/gu, ' ')
}
