import type { AccountsDocument } from './access/account-documents.ts'
import { keepTokenSecret } from './access/keep-token-secret.ts'
import type { AppOverrides } from './app-overrides.ts'
import type { Settings } from './config.ts'
import { migrateData } from './data-format/data-format.ts'
import type { Log } from './lib/log.ts'
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
        restored: settings.restored,
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
