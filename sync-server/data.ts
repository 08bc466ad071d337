import { access, constants, mkdir } from 'node:fs/promises'
import type { AccountsDocument } from './access/account-documents.ts'
import { keepTokenSecret } from './access/keep-token-secret.ts'
import type { AppOverrides } from './app-overrides.ts'
import { migrateData } from './backup/data-format.ts'
import { finishRestore, readRestoredName } from './backup/restore.ts'
import { type Settings, SettingsError } from './config.ts'
import type { Log } from './lib/log.ts'
import { StorageUnavailable } from './storage/documents/storage-errors.ts'
import { createSharedSignals } from './storage/shared-signals.ts'
import { createStorage } from './storage/storage.ts'
import { createEpochs } from './sync/epochs.ts'

export type Data = Awaited<ReturnType<typeof openData>>

/** Opens the storage and links to the other servers. @throws Error when the data cannot be used */
export async function openData(options: {
  settings: Settings
  overrides: AppOverrides
  log: Log
  onError: (error: unknown) => void
}) {
  const { settings, overrides, log, onError } = options
  const { dataDir, couchdbUrl, durability } = settings
  if (!couchdbUrl) await refuseFolder(dataDir)
  if (!couchdbUrl) finishRestore(dataDir)
  const secret = settings.jwtSecret ?? keepTokenSecret(dataDir)
  const link = settings.redisUrl
    ? (await import('./cluster/link-servers.ts')).linkServers({
        url: settings.redisUrl,
        secret,
        log,
      })
    : undefined
  const storage = createStorage({
    dataDir,
    couchdbUrl,
    durability,
    ...(link && { signals: createSharedSignals({ link }) }),
    idleCloseMs: overrides.idleCloseMs,
    wrapLevel: overrides.wrapLevel,
    isAtomic: overrides.isAtomic,
    onError,
    onDamage: (words) =>
      log.error({ words }, 'something stored is damaged: some people get no answer'),
    onTakeOver: ({ done, of }) =>
      log.info({ done, of }, 'taking over the databases of an earlier version'),
    onSetAside: (what) =>
      log.error(
        what,
        'a database of an earlier version is damaged: what can be used of it is taken over, and its folder is kept',
      ),
  })
  const isShared = couchdbUrl !== undefined
  const epochs = await storage
    .ready()
    .then(() =>
      migrateData({
        storage,
        onMigrated: (formats) => log.info(formats, 'the data were brought to a newer format'),
      }),
    )
    .then(() =>
      createEpochs({
        storage,
        isShared,
        link,
        restored: [
          settings.restored ?? [],
          (!couchdbUrl && readRestoredName(dataDir)) || [],
        ].flat(),
        onError,
        onRestored: (lost) => log.warn(lost, 'a backup was put back: devices begin again'),
      }),
    )
    .catch(async (error: unknown) => {
      link?.close()
      await storage.close()
      throw error
    })
  const database = storage.database<AccountsDocument>('accounts')
  return { secret, link, storage, isShared, epochs, database }
}

const noFolder = ['EEXIST', 'ENOTDIR']
const notAllowed = ['EACCES', 'EPERM', 'EROFS']

/** Makes the folder if it is missing. @throws SettingsError when it cannot hold data */
async function refuseFolder(dataDir: string) {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    if (noFolder.includes(code)) {
      throw new SettingsError(`DATA_DIR must be a folder: ${dataDir} is none.`, { cause })
    }
    if (notAllowed.includes(code)) {
      const words = `DATA_DIR must be a folder that Petrel may write: ${dataDir} is none for the user that runs it.`
      throw new SettingsError(words, { cause })
    }
    throw new StorageUnavailable(`DATA_DIR cannot be used: ${message}`, { cause })
  }
}
