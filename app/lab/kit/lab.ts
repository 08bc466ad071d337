import { IDBKeyRange } from 'fake-indexeddb'
import { createLabDisk, type LabDisk } from './disk.ts'
import { createLabLocks, type Locks } from './locks.ts'
import { createNetwork, type Network } from './network.ts'
import { createLabPage, type LabPage } from './page.ts'
import { createRandom } from './random.ts'
import type { Exchange, Matcher } from './request-faults.ts'
import { createLabTexts, type LabTexts } from './texts.ts'

/** What an app gets in place of the browser around it: one tab of one device. */
export interface World {
  /** The device's name. Whatever the process shares, such as a database's name, should contain it. */
  device: string
  /** Another one for each tab, and for the same tab after a reload. */
  tab: string
  /** Another one for each lab: one server can serve many of them, each in a place of its own. */
  lab: string
  /** Where the server is, unless there is none. */
  url: string
  indexedDB: IDBFactory
  IDBKeyRange: typeof globalThis.IDBKeyRange
  localStorage: LabTexts
  locks: Locks
  fetch: typeof fetch
  WebSocket: typeof WebSocket
  now: () => number
  random: () => number
  /** `navigator.onLine`, `visibilityState` and their events. */
  page: LabPage
}

/** A stranger's app in a tab. */
export interface OpenedApp {
  /** All that it holds, by id, as its screens would show it. */
  read(): Promise<Readonly<Record<string, unknown>>> | Readonly<Record<string, unknown>>
  /** Ends it as a crash would: waits for nothing under way. */
  close(): Promise<unknown> | unknown
}

/** A server that the lab starts, stops and kills. */
export interface LabServer {
  readonly url: string
  isRunning(): boolean
  start(): Promise<void>
  kill(): Promise<void>
}

export interface Clock {
  now(): number
  /** How far it is ahead of the true time, in ms; negative when behind. */
  set(aheadMs: number): void
  /** From now on it gains so many ms in each second. */
  drift(msPerSecond: number): void
}

export interface Device<App extends OpenedApp> {
  readonly name: string
  readonly network: Network
  readonly disk: LabDisk
  readonly clock: Clock
  /** The first tab's app. @throws without an open tab */
  readonly app: App
  readonly isOpen: boolean
  /** Opens another tab on the same data. */
  openTab(): Promise<App>
  /** Kills every tab in the middle of its work and opens one again: the data stay. */
  reload(): Promise<void>
  close(): Promise<void>
}

export interface LabOptions<App extends OpenedApp> {
  /** The seed of every random choice. */
  seed?: number
  open: (world: World) => Promise<App> | App
  /** An address, or a server under control. */
  server?: string | LabServer
  /** Requests that wait for news: nobody waits until they end. */
  isPoll?: Matcher
  /** Which requests change something at the server; those that are no GET when absent. */
  isWrite?: Matcher
  /** Makes a server that is a function in this process: for each lab its own, which begins empty. */
  serve?: () => (request: Request) => Promise<Response> | Response
  onExchange?: (device: string, exchange: Exchange) => void
  onFrame?: (device: string, way: 'there' | 'back', text: string) => void
}

export interface Lab<App extends OpenedApp> {
  readonly name: string
  readonly devices: readonly Device<App>[]
  readonly server: LabServer | undefined
  /** A further device, with one open tab. */
  device(name?: string): Promise<Device<App>>
  /** What each open device holds, by its name. */
  readAll(): Promise<Map<string, Readonly<Record<string, unknown>>>>
  /**
   * Waits until for `quietMs` no write was on its way, no frame passed, and nobody's data changed. A busy machine is
   * given longer: not the clock counts, but looks in between which everything due had its turn.
   * @throws after `withinMs`, one minute when absent
   */
  settle(patience?: { quietMs?: number; withinMs?: number }): Promise<void>
  close(): Promise<void>
}

/**
 * Devices with an app of yours on networks, disks and clocks that fail when told.
 *
 * ```ts
 * const lab = createLab({ open: openTodos, server: 'http://127.0.0.1:5984' })
 * const [phone, laptop] = [await lab.device('phone'), await lab.device('laptop')]
 * phone.network.goOffline()
 * await phone.app.add('milk')
 * phone.network.goOnline()
 * await lab.settle()
 * ```
 */
export function createLab<App extends OpenedApp>(options: LabOptions<App>): Lab<App> {
  const { seed = 1, server, isWrite = isNoGet } = options
  const handle = options.serve?.()
  const random = createRandom(seed)
  const name = `lab-${Math.random().toString(36).slice(2, 8)}`
  const devices: Device<App>[] = []
  let moves = 0
  const move = () => {
    moves += 1
  }
  /** Writes that the server has not answered; none that hangs for good. */
  const underWay = new Set<Exchange>()
  const isUnderWay = ({ faults }: Exchange) => !faults.includes('hang') && !faults.includes('hold')
  const transport =
    handle &&
    (async (url: RequestInfo | URL, init?: RequestInit) => {
      init?.signal?.throwIfAborted()
      return await handle(new Request(url, init))
    })

  function addDevice(deviceName: string): Device<App> {
    const disk = createLabDisk()
    const locks = createLabLocks()
    const texts = createLabTexts()
    const clock = createClock()
    const network = createNetwork({
      random,
      isPoll: options.isPoll,
      fetch: transport as typeof fetch | undefined,
      onExchange(exchange) {
        // Who asks every moment whether there is news is quiet all the same.
        if (isWrite(exchange)) {
          move()
          if (exchange.endedAt === undefined) underWay.add(exchange)
          else underWay.delete(exchange)
        }
        options.onExchange?.(deviceName, exchange)
      },
      onFrame(way, text) {
        move()
        options.onFrame?.(deviceName, way, text)
      },
    })
    let tabs: { app: App; close(): Promise<void> }[] = []
    let opened = 0

    async function openTab() {
      opened += 1
      const page = createLabPage()
      const forgetPage = network.addPage(page)
      const link = network.connect()
      const app = await options.open({
        device: deviceName,
        tab: `${deviceName}-${opened}`,
        lab: name,
        url: typeof server === 'string' ? server : (server?.url ?? 'http://lab.invalid'),
        indexedDB: disk.indexedDB,
        IDBKeyRange,
        localStorage: texts,
        locks,
        fetch: link.fetch,
        WebSocket: link.WebSocket,
        now: clock.now,
        random,
        page,
      })
      const tab = {
        app,
        async close() {
          link.cut()
          forgetPage()
          tabs = tabs.filter((other) => other !== tab)
          await app.close()
        },
      }
      tabs = [...tabs, tab]
      return app
    }
    const close = async () => void (await Promise.all(tabs.map((tab) => tab.close())))
    return {
      name: deviceName,
      network,
      disk,
      clock,
      get app() {
        const [first] = tabs
        if (!first) throw new Error(`${deviceName} has no open tab.`)
        return first.app
      },
      get isOpen() {
        return tabs.length > 0
      },
      openTab,
      async reload() {
        await close()
        await openTab()
      },
      close,
    }
  }

  async function readAll() {
    const open = devices.filter(({ isOpen }) => isOpen)
    const read = open.map(async ({ name: each, app }) => [each, await app.read()] as const)
    return new Map(await Promise.all(read))
  }

  return {
    name,
    devices,
    server: typeof server === 'string' ? undefined : server,
    async device(given) {
      const device = addDevice(given ?? `device-${devices.length + 1}`)
      devices.push(device)
      await device.openTab()
      return device
    },
    readAll,
    async settle({ quietMs = 120, withinMs = 60_000 } = {}) {
      const begunAt = performance.now()
      const lookMs = Math.min(quietMs / 4, 50)
      let before: { now: string; moves: number } | undefined
      for (let quietLooks = 0; quietLooks * lookMs < quietMs; ) {
        if (before) await new Promise((resolve) => setTimeout(resolve, lookMs))
        const now = JSON.stringify([...(await readAll())])
        const isQuiet =
          before?.now === now &&
          before.moves === moves &&
          ![...underWay].some((exchange) => isUnderWay(exchange))
        quietLooks = isQuiet ? quietLooks + 1 : 0
        before = { now, moves }
        if (performance.now() - begunAt > withinMs) {
          throw new Error(`The lines are not quiet after ${withinMs} ms: ${now}`)
        }
      }
    },
    async close() {
      await Promise.all(devices.map((device) => device.close()))
    },
  }
}

export const isNoGet: Matcher = ({ method }) => method !== 'GET' && method !== 'HEAD'

function createClock(): Clock {
  const state = { aheadMs: 0, rate: 0, since: Date.now() }
  const ahead = () => state.aheadMs + ((Date.now() - state.since) * state.rate) / 1_000
  return {
    now: () => Date.now() + ahead(),
    set(aheadMs) {
      Object.assign(state, { aheadMs, since: Date.now() })
    },
    drift(msPerSecond) {
      Object.assign(state, { aheadMs: ahead(), rate: msPerSecond, since: Date.now() })
    },
  }
}

/**
 * Puts a server under the lab's control: a function that starts it, or a program of its own.
 * @param start starts it at the same address each time, and gives what ends it at once
 */
export async function controlServer(
  start: () => Promise<{ url: string; kill: () => Promise<unknown> | unknown }>,
): Promise<LabServer> {
  let running: Awaited<ReturnType<typeof start>> | undefined = await start()
  const { url } = running
  return {
    url,
    isRunning: () => running !== undefined,
    async start() {
      running ??= await start()
    },
    async kill() {
      const dying = running
      running = undefined
      await dying?.kill()
    },
  }
}
