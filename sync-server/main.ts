import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { version } from '../schema/api/version.ts'
import { DataMoved, NewerData } from './backup/data-format.ts'
import { createAdminCommands, createExportCommand } from './command-line/admin-commands.ts'
import { createBackupCommands } from './command-line/backup-commands.ts'
import {
  type Command,
  CommandRefused,
  type Given,
  runCommandLine,
} from './command-line/command-line.ts'
import { createMoveCommand } from './command-line/move-command.ts'
import { readEnvironment, readSettings, SettingsError, settingsExitCode } from './config.ts'
import { type App, createApp, createServer } from './create-app.ts'
import { repairData } from './repair-data.ts'
import {
  LoginRefused,
  StorageUnavailable,
  StoreUnusable,
} from './storage/documents/storage-errors.ts'
import { createStorage } from './storage/storage.ts'

/** The build puts the server beside the app; the sources lie one step higher. */
function findAppDir(): string | undefined {
  const places = ['../app/', '../dist/app/'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return places.find((place) => existsSync(`${place}index.html`) && existsSync(`${place}assets`))
}

function stopOnSignal(app: App) {
  const stop = () => {
    app.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function fail(error: unknown) {
  if (error instanceof CommandRefused) {
    process.stderr.write(`${error.message}\n`)
    process.exit(error.exitCode)
  }
  const isNewer = error instanceof NewerData || error instanceof DataMoved
  const isWorded = isNewer || error instanceof SettingsError || error instanceof StorageUnavailable
  const words = isWorded ? error.message : describe(error)
  const remedy = error instanceof StoreUnusable ? `${error.remedy}\n` : ''
  process.stderr.write(`Petrel cannot run:\n${words}\n${remedy}`)
  const isSetWrong = error instanceof SettingsError || error instanceof LoginRefused
  const isLasting = isSetWrong || isNewer || error instanceof StoreUnusable
  process.exit(isLasting ? settingsExitCode : 1)
}

function describe(error: unknown): string {
  const { code, syscall, stack } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return 'The port is in use. Set PORT to another one.'
  if (code === 'EACCES' && syscall === 'listen')
    return 'This user may not listen on the port. Set PORT to 1024 or more.'
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return 'This machine has no such address. Set HOST to one of its own, or to 0.0.0.0.'
  }
  return stack ?? String(error)
}

/** Options that stand for a setting, whatever the environment says. */
const asSettings = { port: 'PORT', host: 'HOST', 'data-dir': 'DATA_DIR' } as const

function readGivenSettings({ options }: Given) {
  const given = Object.entries(asSettings).flatMap(([option, setting]) => {
    const value = options[option]
    return typeof value === 'string' ? [[setting, value]] : []
  })
  return readSettings({ ...readEnvironment(), ...Object.fromEntries(given) })
}

const dataDirOption = {
  kind: 'value',
  help: 'where messages, accounts and keys are kept: ./data without it',
} as const

const start: Command = {
  summary: 'serves the app and keeps everything in a folder, until it is stopped',
  options: {
    port: { kind: 'value', help: 'where it listens: 3000 without it' },
    host: {
      kind: 'value',
      help: '127.0.0.1 without it: this machine alone; 0.0.0.0 for every one',
    },
    'data-dir': dataDirOption,
  },
  details:
    'Every other setting is an environment variable, as the README lists them. A wrong one stops\n' +
    `the start with a sentence and the code ${settingsExitCode}. SIGTERM and Ctrl+C stop it in order.`,
  async run(given) {
    const settings = readGivenSettings(given)
    const app = await createApp(settings, { appDir: findAppDir() })
    stopOnSignal(app)
    // The log is for programs; a person at a terminal gets a sentence.
    if (process.stderr.isTTY) {
      const place = settings.couchdbUrl ? 'its CouchDB' : settings.dataDir
      process.stderr.write(
        `Petrel ${version} serves on ${app.url.replace('127.0.0.1', 'localhost')} and keeps everything in ${place}. Ctrl+C stops it.\n`,
      )
    }
  },
}

const repair: Command = {
  summary: 'saves what can be read of a damaged store, while the server is stopped',
  options: { 'data-dir': dataDirOption },
  details:
    'Names what is lost, and sets the damaged store aside in the folder. A backup, if there is one,\n' +
    'helps better. Afterwards start with RESTORED set to a name that it never had.',
  run: async (given) => print(`${(await repairData(readGivenSettings(given))).join('\n')}\n`),
}

const print = (text: string) => void process.stdout.write(text)
const readDataDir = (given: Given) => readGivenSettings(given).dataDir

// Only this user may read the stored data.
process.umask(0o077)
try {
  await runCommandLine(process.argv.slice(2), {
    name: 'petrel',
    version,
    summary: `Petrel ${version}, the messenger that does not care whether the network is there.`,
    fallback: 'start',
    print,
    commands: {
      start,
      admin: createAdminCommands({ readDataDir, print }),
      'export-person': createExportCommand({ readDataDir, print }),
      ...createBackupCommands({
        readPlace(given) {
          const { dataDir, couchdbUrl, backups } = readGivenSettings(given)
          return { dataDir, couchdbUrl, backupDir: backups?.dir, recipient: backups?.recipient }
        },
        openStorage: ({ dataDir, couchdbUrl }) => createStorage({ dataDir, couchdbUrl }),
        print,
      }),
      move: createMoveCommand({
        readPlace(given) {
          const settings = readGivenSettings(given)
          return { ...settings, createServer: (app) => createServer({ app, settings }) }
        },
        openStorage: ({ dataDir, couchdbUrl }) => createStorage({ dataDir, couchdbUrl }),
        print,
        tell: (text) => void process.stderr.write(text),
      }),
      repair,
      version: {
        summary: 'prints the version',
        run: async () => print(`${version}\n`),
      },
    },
  })
} catch (error) {
  fail(error)
}
