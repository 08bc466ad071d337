import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ActionRefused } from '../admin/admin-actions.ts'
import { askServer, DoorClosed } from '../admin/admin-door.ts'
import { type BackupMade, BackupRefused, createBackups } from '../backup/backups.ts'
import { type Diagnosis, examineData, type Rehearsal, rehearseUpgrade } from '../backup/doctor.ts'
import { checkBackup, isInUse, restoreBackup } from '../backup/restore.ts'
import type { Storage } from '../storage/storage.ts'
import { type Command, CommandRefused, type Given } from './command-line.ts'

interface Place {
  dataDir: string
  couchdbUrl: string | undefined
  backupDir: string | undefined
  recipient: string | undefined
}

const json = { json: { kind: 'flag', help: 'answers with JSON, for scripts' } } as const
const folder = {
  'data-dir': { kind: 'value', help: 'the folder of the server: DATA_DIR, or ./data' },
} as const
const identity = {
  identity: { kind: 'value', help: 'the file of the age key that opens an encrypted backup' },
} as const

/** `petrel backup`, `restore` and `doctor`. */
export function createBackupCommands(options: {
  readPlace: (given: Given) => Place
  openStorage: (place: Place) => Storage
  print: (text: string) => void
}): Record<'backup' | 'restore' | 'doctor', Command> {
  const { readPlace, openStorage, print } = options

  /** Asks the server if one runs; otherwise opens what is stored. */
  async function withServerOr<Result>(
    place: Place,
    asking: { action: string; input: Record<string, unknown> },
    alone: (storage: Storage) => Promise<Result>,
  ): Promise<Result> {
    try {
      return (await askServer(place.dataDir, asking)) as Result
    } catch (error) {
      if (!(error instanceof DoorClosed)) throw error
    }
    const storage = openStorage(place)
    try {
      await storage.ready()
      return await alone(storage)
    } finally {
      await storage.close()
    }
  }

  async function requireStopped(dataDir: string) {
    if (await isInUse(dataDir)) {
      throw new CommandRefused(`A server works on ${dataDir}. Stop it first: nothing was changed.`)
    }
  }

  const backup: Command = {
    summary:
      'makes a backup while the server runs: messages, accounts, files and keys, in one file',
    words: ['[folder]'],
    options: {
      recipient: { kind: 'value', help: 'encrypts it for this age key: age1…' },
      ...json,
      ...folder,
    },
    details:
      'Without a folder it goes to BACKUP_DIR. It is the store as it was at one moment, checked by\n' +
      '`petrel doctor`, put back by `petrel restore`. Whoever can read it can read every message.',
    run: (given) =>
      worded(async () => {
        const place = readPlace(given)
        const to = given.words[0] ?? place.backupDir
        if (!to) throw new CommandRefused('Name a folder for the backup, or set BACKUP_DIR.')
        const input = { folder: resolve(to), recipient: given.options.recipient ?? place.recipient }
        const made = await withServerOr(place, { action: 'backup', input }, async (storage) => {
          const { dataDir } = place
          const backups = createBackups({ dataDir, readAll: storage.readAll })
          return await backups.make(input.folder, input.recipient as string | undefined)
        })
        print(given.options.json ? `${JSON.stringify(made)}\n` : describeMade(made))
      }),
  }

  const restore: Command = {
    summary: 'puts a backup in the place of what is there, which is kept beside it',
    words: ['file'],
    options: { ...identity, ...json, ...folder },
    details:
      'Checks every byte before it changes anything. The server has to be stopped. At its next start\n' +
      'devices give back what the backup lacks, as with RESTORED.',
    run: (given) =>
      worded(async () => {
        const place = readPlace(given)
        if (place.couchdbUrl) {
          throw new CommandRefused(
            'The data are in a CouchDB: restore it with its own tools, and set RESTORED.',
          )
        }
        const { dataDir } = place
        const restored = await restoreBackup({
          path: resolve(given.words[0] ?? ''),
          dataDir,
          identity: await readIdentityFile(given),
          requireStopped: () => requireStopped(dataDir),
        })
        const { header, footer, before } = restored
        const kept = before ? ` What was there lies in ${before}: remove it once all is well.` : ''
        print(
          given.options.json
            ? `${JSON.stringify({ createdAt: header.createdAt, entries: footer.entries, before })}\n`
            : `${dataDir} is as it was on ${header.createdAt} (${footer.entries} entries).${kept}\nStart the server: devices give back what came later.\n`,
        )
      }),
  }

  const doctor: Command = {
    summary: 'checks what is stored, or a backup, and changes nothing',
    words: ['[backup-file]'],
    options: {
      upgrade: {
        kind: 'flag',
        help: 'what this version would change; of a backup it upgrades a copy, and looks at that',
      },
      ...identity,
      ...json,
      ...folder,
    },
    details: 'Ends with the code 1 when something is wrong.',
    run: (given) =>
      worded(async () => {
        const [file] = given.words
        if (file !== undefined && given.options.upgrade) return await rehearse(file, given)
        if (file !== undefined) {
          const checked = await checkBackup(resolve(file), {
            identity: await readIdentityFile(given),
          })
          const { header, footer } = checked
          return print(
            given.options.json
              ? `${JSON.stringify({ ...footer, createdAt: header.createdAt, version: header.version })}\n`
              : `This backup is whole: ${footer.entries} entries of ${header.createdAt}, by Petrel ${header.version}.\n`,
          )
        }
        const place = readPlace(given)
        const diagnosis = await withServerOr<Diagnosis>(
          place,
          { action: 'doctor', input: {} },
          examineData,
        )
        print(
          given.options.json
            ? `${JSON.stringify(diagnosis)}\n`
            : describe(diagnosis, given.options.upgrade === true),
        )
        if (diagnosis.format > diagnosis.formatOfThisVersion) {
          throw new CommandRefused(
            `These data have the format ${diagnosis.format}; this version knows ${diagnosis.formatOfThisVersion}. Take a newer Petrel, or restore a backup from before.`,
          )
        }
        if (diagnosis.findings.length > 0)
          throw new CommandRefused('Something is wrong: see above.')
      }),
  }

  async function rehearse(file: string, given: Given) {
    const { dataDir, couchdbUrl } = readPlace(given)
    if (couchdbUrl) {
      throw new CommandRefused(
        'The data are in a CouchDB: replicate it to a second one, and start this version there.',
      )
    }
    const rehearsal = await rehearseUpgrade({
      path: resolve(file),
      dataDir,
      identity: await readIdentityFile(given),
      openStorage: (folder) =>
        openStorage({
          dataDir: folder,
          couchdbUrl: undefined,
          backupDir: undefined,
          recipient: undefined,
        }),
    })
    print(given.options.json ? `${JSON.stringify(rehearsal)}\n` : describeRehearsal(rehearsal))
    if (rehearsal.after.findings.length > 0) {
      throw new CommandRefused('Something is wrong with the copy: see above.')
    }
  }

  return { backup, restore, doctor }
}

async function readIdentityFile({ options }: Given): Promise<string | undefined> {
  const { identity: path } = options
  if (typeof path !== 'string') return undefined
  return await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CommandRefused(`The key ${path} cannot be read.`, { cause })
  })
}

async function worded(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof BackupRefused || error instanceof ActionRefused) {
      throw new CommandRefused(error.message, { cause: error })
    }
    throw error
  }
}

function describeMade({ path, bytes, entries, seconds }: BackupMade): string {
  const size = `${(bytes / 1e6).toFixed(1)} MB`
  return `${path}: ${size}, ${entries} entries, in ${seconds.toFixed(1)} s\n`
}

function describeRehearsal({ backup, before, after, seconds }: Rehearsal): string {
  const { version, createdAt } = backup.header
  const from = `A copy of the backup of ${createdAt}, by Petrel ${version}`
  const changes =
    before.format === after.format
      ? `${from}, has the format ${after.format}, which this version writes: an upgrade changes nothing.`
      : `${from}, was brought from the format ${before.format} to ${after.format} in ${seconds.toFixed(1)} s.`
  const counts = ({ people, places, files }: Diagnosis) => [people, places, files].join()
  const kept =
    counts(before) === counts(after)
      ? 'It holds as much as before.'
      : `Before it held ${before.people} people, ${before.places} messages and ${before.files} files.`
  return `${changes} ${kept}\n${describe(after, false)}The copy is gone again, and the data were not touched.\n`
}

function describe(diagnosis: Diagnosis, isUpgrade: boolean): string {
  const { format, formatOfThisVersion: own, people, places, files, findings } = diagnosis
  const formats =
    format === own
      ? `The data have the format ${format}, which this version writes: an upgrade changes none of them.`
      : `The data have the format ${format}. The first start of this version brings them to ${own}; earlier versions then refuse them, so make a backup before.`
  return [
    `${people} people, ${places} messages, ${files} files.`,
    ...(isUpgrade || format !== own ? [formats] : []),
    ...findings.map(
      ({ what, count, examples, mend }) =>
        `${what}: ${count} (${examples.join(', ')}${count > examples.length ? ', …' : ''}). ${mend}`,
    ),
    ...(findings.length === 0 ? ['Everything is in its place.'] : []),
    '',
  ].join('\n')
}
