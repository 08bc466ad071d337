import { parseArgs } from 'node:util'

/** `EX_USAGE` of sysexits.h: the words given to a command are wrong, and nothing was done. */
const usageExitCode = 64

/** A command that cannot be done. `message`: what is wrong and what to do, for the operator. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
  readonly exitCode: number

  constructor(words: string, { exitCode = 1, cause }: { exitCode?: number; cause?: unknown } = {}) {
    super(words, { cause })
    this.exitCode = exitCode
  }
}

/** The words after a command are not what it takes. */
class WrongWords extends CommandRefused {
  override name = 'WrongWords'

  constructor(words: string) {
    super(words, { exitCode: usageExitCode })
  }
}

/** What a command takes: `value` for an option with a value, `flag` for one without. */
export interface Taken {
  /** Names of the words without dashes, in order; a name in brackets may be left out. */
  words?: readonly string[]
  options?: Readonly<Record<string, { kind: 'value' | 'flag'; help: string }>>
}

export interface Given {
  words: string[]
  options: Record<string, string | true | undefined>
}

export interface Command extends Taken {
  /** One line, for the list of commands. */
  summary: string
  /** More lines for `--help`, without indentation. */
  details?: string
  /** Resolves when it is done, or begun where it goes on running. @throws CommandRefused */
  run(given: Given): Promise<void>
}

/** A command, or further ones beneath its name. */
export type Commands = Readonly<Record<string, Command | CommandGroup>>

export interface CommandGroup {
  summary: string
  details?: string
  commands: Commands
}

/**
 * Finds and runs the command that these words name. `--help` anywhere, or `help` before it, prints its help instead.
 * @param program.fallback the command of a line that names none
 * @throws WrongWords for a command or an option that does not exist
 */
export async function runCommandLine(
  argv: readonly string[],
  program: {
    name: string
    version: string
    summary: string
    commands: Commands
    fallback: string
    print: (text: string) => void
  },
): Promise<void> {
  const { name, print, fallback } = program
  const [first] = argv
  if (first === '--version' || first === '-v') return print(`${program.version}\n`)
  const isHelp = first === 'help' || argv.includes('--help') || argv.includes('-h')
  const asked = first === 'help' ? argv.slice(1) : argv
  const words = asked.filter((word) => word !== '--help' && word !== '-h')
  const isUnnamed = words.length === 0 || words[0]?.startsWith('-')
  if (isUnnamed && isHelp) return print(describeGroup(name, program))
  const found = find(name, program, isUnnamed ? [fallback, ...words] : words)
  if ('commands' in found.entry) return print(describeGroup(found.path, found.entry))
  if (isHelp) return print(describeCommand(found.path, found.entry))
  await found.entry.run(readGiven(found.path, found.entry, found.rest))
}

interface Found {
  path: string
  entry: Command | CommandGroup
  rest: readonly string[]
}

function find(path: string, group: CommandGroup, words: readonly string[]): Found {
  const [word, ...rest] = words
  if (word === undefined || word.startsWith('-')) return { path, entry: group, rest: words }
  const entry = Object.hasOwn(group.commands, word) ? group.commands[word] : undefined
  if (!entry) {
    const meant = Object.keys(group.commands).find((known) => isAlmost(known, word))
    const hint = meant ? ` Did you mean \`${path} ${meant}\`?` : ''
    throw new WrongWords(
      `There is no command \`${path} ${word}\`.${hint} \`${path} --help\` lists what there is.`,
    )
  }
  const here = `${path} ${word}`
  return 'commands' in entry ? find(here, entry, rest) : { path: here, entry, rest }
}

/** At most one letter is wrong, missing, too many or swapped with its neighbour; or the rest is missing. */
function isAlmost(known: string, typed: string): boolean {
  if (known.startsWith(typed) || typed.startsWith(known)) return true
  if (Math.abs(known.length - typed.length) > 1) return false
  let start = 0
  while (start < known.length && known[start] === typed[start]) start += 1
  const [restKnown, restTyped] = [known.slice(start), typed.slice(start)]
  return (
    restKnown.slice(1) === restTyped.slice(1) ||
    restKnown.slice(1) === restTyped ||
    restKnown === restTyped.slice(1) ||
    (restKnown[0] === restTyped[1] &&
      restKnown[1] === restTyped[0] &&
      restKnown.slice(2) === restTyped.slice(2))
  )
}

function readGiven(path: string, taken: Taken, args: readonly string[]): Given {
  const { words = [], options = {} } = taken
  const known = Object.entries(options).map(
    ([name, { kind }]) =>
      [name, { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) }] as const,
  )
  const parsed = parse(path, args, Object.fromEntries(known))
  const needed = words.filter((word) => !word.startsWith('['))
  const missing = needed[parsed.positionals.length]
  if (missing) {
    throw new WrongWords(`\`${path}\` needs ${missing}: ${usage(path, taken)}`)
  }
  const isEndless = words.at(-1)?.includes('…')
  if (!isEndless && parsed.positionals.length > words.length) {
    const [extra] = parsed.positionals.slice(words.length)
    throw new WrongWords(`\`${path}\` does not take “${extra}”: ${usage(path, taken)}`)
  }
  return { words: parsed.positionals, options: parsed.values }
}

function parse(
  path: string,
  args: readonly string[],
  options: Record<string, { type: 'boolean' | 'string' }>,
) {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    return {
      positionals: parsed.positionals,
      values: parsed.values as Record<string, string | true | undefined>,
    }
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. ')
    throw new WrongWords(`${sentence.replace(/\.?$/, '.')} \`${path} --help\` says what it takes.`)
  }
}

function usage(path: string, { words = [], options = {} }: Taken): string {
  const shown = words.map((word) => (word.startsWith('[') ? word : `<${word}>`))
  return [path, ...shown, ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ')
}

function describeGroup(path: string, { summary, details, commands }: CommandGroup): string {
  const rows = Object.entries(commands).map(([name, entry]) => [name, entry.summary] as const)
  return [
    summary,
    '',
    `Usage: ${path} <command>`,
    '',
    ...align(rows),
    ...(details ? ['', details] : []),
    '',
    `\`${path} <command> --help\` says more about each.`,
    '',
  ].join('\n')
}

function describeCommand(path: string, command: Command): string {
  const rows = Object.entries(command.options ?? {}).map(
    ([name, { kind, help }]) => [`--${name}${kind === 'value' ? ' …' : ''}`, help] as const,
  )
  return [
    command.summary,
    '',
    `Usage: ${usage(path, command)}`,
    ...(rows.length > 0 ? ['', ...align(rows)] : []),
    ...(command.details ? ['', command.details] : []),
    '',
  ].join('\n')
}

function align(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
}
