import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from '../../../schema/helpers/assertions.ts'
import type { AppOverrides } from '../../../sync-server/app-overrides.ts'
import { readSettings } from '../../../sync-server/config.ts'
import { type App, createApp } from '../../../sync-server/create-app.ts'
import { findFreePort } from '../../../sync-server/lib/testing/find-free-port.ts'
import type { Stage } from '../../../sync-server/messages/acceptance/delivery-types.ts'
import { createStorage } from '../../../sync-server/storage/storage.ts'
import {
  createFaultyDisk,
  type Death,
  type FaultyDisk,
} from '../../../sync-server/storage/testing/faulty-disk.ts'
import type { TestCouch } from '../../../sync-server/testing/couch/start-couch.ts'
import { quickHasher } from '../../../sync-server/testing/quick-hasher.ts'
import type { ChannelClock } from '../../../sync-server/whatsapp/client/channel-clock.ts'

/** The real server in this process, on its own port, with LevelDB in a temporary folder. */
export interface LabServer {
  readonly url: string
  /** Its data folder. */
  readonly dataDir: string
  /** Its disk, which can be full. */
  readonly disk: Pick<FaultyDisk, 'fillUp' | 'makeRoom' | 'countWrites' | 'countRefused'>
  isRunning(): boolean
  /** How often it has died. */
  countDeaths(): number
  stats(): ReturnType<App['stats']>
  /** Drops everything immediately: no answers, no cleanup. */
  kill(): Promise<void>
  /**
   * Dies when a message's write reaches this stage: `peer` is between the two copies (P3), where
   * they are separate writes.
   */
  killAfter(stage: Stage): Promise<void>
  /** Dies at one of its next disk writes, of whatever kind. */
  killAtWrite(death: Pick<Death, 'after' | 'side'>): Promise<void>
  /**
   * Restarts on the same port, with the same data; a running one just continues.
   * @param changed settings that the operator has changed meanwhile
   */
  start(changed?: Record<string, string>): Promise<void>
  /** Copies everything stored by now. The server is down meanwhile. */
  takeBackup(): Promise<void>
  hasBackup(): boolean
  /**
   * Replaces the stored data with the copy, and restarts.
   * @param options.restored the operator's name for the restore; absent for an operator who forgot
   * to report it
   * @param options.losesFiles the backup had no files
   */
  putBackBackup(options?: { restored?: string; losesFiles?: boolean }): Promise<void>
  /** Stops it for good and deletes its data. */
  close(): Promise<void>
}

/** The lab loses frames, and no test should wait half a minute for the timeout. */
const hereEveryMs = 500
/** Nor for what a full disk left to do. */
const healAgainMs = 1_000

export async function startLabServer(
  options: {
    settings?: Record<string, string>
    idleCloseMs?: number
    isAtomic?: boolean
    usersOnlineMax?: number
    overrides?: Pick<AppOverrides, 'log' | 'isLoopbackPushAllowed'> | undefined
    channelClock?: ChannelClock | undefined
    /** Fills the empty data folder. */
    fill?: ((dataDir: string) => Promise<void>) | undefined
    couch?: Pick<TestCouch, 'url' | 'folder' | 'stop' | 'start'> | undefined
  } = {},
): Promise<LabServer> {
  const { couch } = options
  const settings = { ...options.settings }
  const folder = await mkdtemp(join(tmpdir(), 'petrel-lab-'))
  const backup = `${folder}-backup`
  let restored: string | undefined
  let app: App | undefined
  let dying: Promise<unknown> | undefined
  let deaths = 0
  let hasBackup = false
  const port = await findFreePort()
  const disk = createFaultyDisk()
  let deadline: { stage: Stage; die: () => Promise<void>; died: () => void } | undefined

  async function start(changed: Record<string, string> = {}) {
    Object.assign(settings, changed)
    deadline = undefined
    disk.dieAt(undefined)
    // The dying server still holds the port and the databases.
    await dying
    if (app) return
    disk.beginLife()
    app = await createApp(
      readSettings({
        DATA_DIR: folder,
        PORT: String(port),
        HOST: '127.0.0.1',
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'silent',
        DURABILITY: 'relaxed',
        ...(couch && {
          COUCHDB_URL: couch.url,
          JWT_SECRET: 'a secret of the lab, and of nobody else',
        }),
        ...(restored !== undefined && { RESTORED: restored }),
        ...settings,
      }),
      {
        hasher: quickHasher,
        checkAnswers: true,
        onStage,
        wrapLevel: disk.wrapLevel,
        idleCloseMs: options.idleCloseMs,
        isAtomic: options.isAtomic,
        usersOnlineMax: options.usersOnlineMax,
        hereEveryMs,
        healAgainMs,
        ...options.overrides,
        ...(options.channelClock && { channelClock: options.channelClock }),
      },
    )
  }

  async function kill() {
    if (app) {
      deaths += 1
      dying = app.kill()
    }
    app = undefined
    await dying
  }

  /** A running storage changes its files. */
  async function whileStopped(work: (data: string) => Promise<void>) {
    await kill()
    await couch?.stop()
    await work(couch?.folder ?? folder)
    await couch?.start()
    await start()
  }

  async function loseFiles() {
    const storage = createStorage({ dataDir: folder })
    await storage.destroy('media')
    await storage.close()
  }

  async function onStage(stage: Stage) {
    if (deadline?.stage !== stage) return
    const { die, died } = deadline
    deadline = undefined
    // The write waits here for ever: the process dies in the middle of it.
    void die().then(died)
    await new Promise(() => {})
  }

  await options.fill?.(folder)
  await start()
  return {
    get url() {
      return `http://127.0.0.1:${port}`
    },
    dataDir: folder,
    disk,
    isRunning: () => app !== undefined,
    countDeaths: () => deaths,
    stats: () => must(app, 'a server that runs').stats(),
    kill,
    killAfter: (stage) =>
      new Promise<void>((died) => {
        deadline = { stage, die: kill, died }
      }),
    killAtWrite: (death) =>
      new Promise<void>((died) => {
        disk.dieAt({ ...death, onDeath: () => void kill().then(died) })
      }),
    start,
    takeBackup: () =>
      whileStopped(async (data) => {
        await rm(backup, { recursive: true, force: true })
        await cp(data, backup, { recursive: true })
        hasBackup = true
      }),
    hasBackup: () => hasBackup,
    async putBackBackup(told) {
      restored = told?.restored
      await whileStopped(async (data) => {
        await rm(data, { recursive: true })
        await cp(backup, data, { recursive: true })
        if (told?.losesFiles) await loseFiles()
      })
    },
    async close() {
      await kill()
      await rm(backup, { recursive: true, force: true })
      // LevelDB may still clean up after a kill.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
