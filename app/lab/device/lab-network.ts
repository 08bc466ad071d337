import NodeWebSocket from 'ws'
import { changesProtocol } from '../../../schema/api/socket-events.ts'
import { wireHeader, wireProtocolPrefix } from '../../../schema/api/wire.ts'
import { breakOff } from './break-off.ts'
import { createFrameSpoiler } from './frame-spoiler.ts'
import type { LabPage } from './lab-page.ts'
import { createPushFrames } from './push-frames.ts'
import { createRequestFaults, type FileTraffic } from './request-faults.ts'
import type { SlowLineOptions } from './slow-line.ts'

/** One device's network: its faults lie between the real client core and the real server. */
export interface LabNetwork {
  /** Blocks everything, and notifies the pages, as a browser does. */
  goOffline(): void
  goOnline(): void
  /** Blocks everything without notifying anyone: a dead access point. */
  goDark(): void
  /** The server receives and acts; its next `count` answers to writes never arrive. */
  loseResponses(count: number): void
  /** Delays answers to writes until the returned function is called. */
  holdResponses(): () => void
  /** Delays writes to a collection on their way to the server, so that others overtake them. */
  holdWrites(collection: 'messages' | 'conversations'): HeldWrites
  /** Delays catch-up requests until the returned function is called. */
  holdPulls(): () => void
  /** Delays answers to polls until the returned function is called. */
  holdPolls(): () => void
  /** All requests so far, each as its method and path. */
  listRequests(): readonly string[]
  /** The place after which each catch-up request of a collection asked. */
  listPulledAfter(collection: 'messages' | 'conversations'): readonly string[]
  /** How many catch-up requests have been answered. */
  countPulls(): number
  /** How many polls for messages have been answered. */
  countPolls(): number
  /** The file pieces sent so far. */
  countFiled(): FileTraffic
  /** Breaks each nth request with a file piece in its middle. */
  breakEveryUpload(nth: number): void
  /** Answers uploads in pieces like an older server, which lacks that address. */
  haveNoPieces(): void
  /** Delays every request by up to the given milliseconds, each way. */
  delay(ms: number): void
  /** Bytes trickle both ways; the rest of long answers may never come. */
  slow(line: SlowLineOptions): void
  /** Every write reaches the server twice. */
  duplicate(): void
  /** Every write reaches the server once more, after the write that follows it. */
  reorder(): void
  /**
   * Answers the next `count` requests (all, when absent) with this status; they never reach the
   * server.
   */
  answer(status: number, count?: number): void
  /** Answers everything 200 with a page, like a hotel's network before its sign-in. */
  answerAsPortal(): void
  /** Answers a push containing these words with this status; it never reaches the server. */
  refuseWords(words: string, status: number): void
  /** Answers every file with this status, like a proxy that can't accept it. */
  answerUploads(status: number): void
  /** New polls hang on a silently dead connection. */
  hangPolls(): void
  /** Blocks WebSockets, as some proxies do; requests pass. */
  blockSockets(): void
  /** New sockets use the first version, as with an older server. */
  speakFirstVersion(): void
  /** Everything says that it comes from this version of the app; undefined for its own. */
  tellWire(version: number | undefined): void
  /**
   * Randomly loses, doubles, reorders or truncates what comes over sockets, and what is pushed over
   * them.
   */
  spoilFrames(): void
  /** Ends every fault and notifies the pages, so that none waits out a long back-off. */
  calm(): void
  /** Where there is a network, notifies the pages: a long outage leaves long back-offs. */
  hurry(): void
  isDark(): boolean
  connect(): LabLink
  addPage(page: LabPage): () => void
}

export interface HeldWrites {
  /** How many are on their way. */
  count(): number
  /** Lets them arrive. */
  release(): void
}

/** One tab's end of the network. */
export interface LabLink {
  fetch: typeof fetch
  WebSocket: typeof WebSocket
  /** Ends everything under way and blocks everything further. */
  cut(): void
  /** Silently drops everything that comes back. */
  freeze(): void
}

/** What a frozen tab hears. */
const never = new Promise<never>(() => {})

export function createLabNetwork(options: { random: () => number }): LabNetwork {
  const pages = new Set<LabPage>()
  const links = new Set<{ cutSockets(): void; cutRequests(): void }>()
  const faults = createRequestFaults(options)
  const state = {
    isDark: false,
    areSocketsBlocked: false,
    isFirstVersion: false,
    areFramesSpoilt: false,
    wire: undefined as number | undefined,
  }

  function tellWireIn(init: RequestInit | undefined): RequestInit | undefined {
    if (state.wire === undefined) return init
    return { ...init, headers: { ...init?.headers, [wireHeader]: String(state.wire) } }
  }
  function tellWireOffered(one: string): string {
    const isWire = state.wire !== undefined && one.startsWith(wireProtocolPrefix)
    return isWire ? `${wireProtocolPrefix}${state.wire}` : one
  }

  function cutAll() {
    for (const link of links) {
      link.cutSockets()
      link.cutRequests()
    }
  }

  function connect(): LabLink {
    const sockets = new Set<NodeWebSocket>()
    const life = { isCut: false, isFrozen: false, requests: new AbortController() }
    class LabSocket extends NodeWebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        // A port without a listener: the error and the close come as from a dead network.
        const isClosed = state.isDark || state.areSocketsBlocked || life.isCut
        const offered = [protocols ?? []].flat()
        const isKept = (one: string) => !state.isFirstVersion || one !== changesProtocol
        super(isClosed ? 'ws://127.0.0.1:1/' : url, offered.filter(isKept).map(tellWireOffered))
        sockets.add(this)
        this.on('close', () => {
          sockets.delete(this)
          this.#closed.abort()
        })
      }
      readonly #closed = new AbortController()
      readonly #spoil = { sent: createFrameSpoiler(options), heard: createFrameSpoiler(options) }
      readonly #pushes = createPushFrames({
        origin: new URL(this.url.replace(/^ws/, 'http')).origin,
        send: (text) => {
          if (state.areFramesSpoilt) this.#spoil.sent(text, (spoilt) => super.send(spoilt))
          else super.send(text)
        },
        give: (text) => this.#give(text),
        cut: () => this.terminate(),
        closed: this.#closed.signal,
        ask: async (...asked) => (life.isFrozen ? await never : await faults.send(...asked)),
      })
      #give(text: string) {
        if (state.areFramesSpoilt)
          this.#spoil.heard(text, (spoilt) => super.emit('message', spoilt))
        else super.emit('message', text)
      }
      override send(text: string) {
        if (!this.#pushes.take(text)) super.send(text)
      }
      override emit(event: string | symbol, ...args: unknown[]): boolean {
        if (event !== 'message') return super.emit(event, ...args)
        const text = String(args[0])
        if (!this.#pushes.hear(text)) this.#give(text)
        return true
      }
    }
    const link = {
      cutSockets: () => sockets.forEach((socket) => void socket.terminate()),
      cutRequests() {
        life.requests.abort(new TypeError('fetch failed: the network is gone'))
        life.requests = new AbortController()
      },
    }
    links.add(link)
    return {
      fetch: (async (input, init) => {
        if (state.isDark || life.isCut) throw new TypeError('fetch failed: there is no network')
        if (life.isFrozen) return await never
        const { signal } = life.requests
        const response = await faults.send(String(input), tellWireIn(init), { cut: signal })
        return life.isFrozen ? await never : breakOff(response, signal)
      }) satisfies typeof fetch as typeof fetch,
      WebSocket: LabSocket as unknown as typeof WebSocket,
      cut() {
        life.isCut = true
        link.cutSockets()
        link.cutRequests()
        links.delete(link)
      },
      freeze() {
        life.isFrozen = true
      },
    }
  }

  return {
    goOffline() {
      state.isDark = true
      for (const page of pages) page.setOnline(false)
      cutAll()
    },
    goOnline() {
      state.isDark = false
      for (const page of pages) page.setOnline(true)
    },
    goDark() {
      state.isDark = true
      cutAll()
    },
    ...faults.controls,
    listRequests: faults.listRequests,
    listPulledAfter: faults.listPulledAfter,
    countPulls: faults.countPulls,
    countPolls: faults.countPolls,
    countFiled: faults.countFiled,
    isDark: () => state.isDark,
    blockSockets() {
      state.areSocketsBlocked = true
      for (const link of links) link.cutSockets()
    },
    speakFirstVersion() {
      state.isFirstVersion = true
      for (const link of links) link.cutSockets()
    },
    tellWire(version) {
      state.wire = version
      for (const link of links) link.cutSockets()
    },
    spoilFrames() {
      state.areFramesSpoilt = true
    },
    calm() {
      Object.assign(state, {
        areSocketsBlocked: false,
        isFirstVersion: false,
        areFramesSpoilt: false,
        wire: undefined,
      })
      faults.controls.calm()
      state.isDark = false
      for (const page of pages) page.tellOnline()
    },
    hurry() {
      if (!state.isDark) for (const page of pages) page.tellOnline()
    },
    connect,
    addPage(page) {
      pages.add(page)
      page.setOnline(!state.isDark)
      return () => pages.delete(page)
    },
  }
}
