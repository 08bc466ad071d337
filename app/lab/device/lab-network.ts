import NodeWebSocket from 'ws'
import { changesProtocol } from '../../../schema/api/socket-events.ts'
import type { LabPage } from './lab-page.ts'
import { createRequestFaults, type FileTraffic } from './request-faults.ts'
import type { SlowLineOptions } from './slow-line.ts'

/** The network of one device: its faults lie between the real client core and the real server. */
export interface LabNetwork {
  /** Nothing gets through, and the pages are told so, as a browser does. */
  goOffline(): void
  goOnline(): void
  /** Nothing gets through, and nobody is told: a dead access point. */
  goDark(): void
  /** The server hears and acts; its next `count` answers to writes never arrive. */
  loseResponses(count: number): void
  /** The answers to writes stay under way until the function that this gives is called. */
  holdResponses(): () => void
  /** Writes to a collection are on their way and not at the server, so that others overtake them. */
  holdWrites(collection: 'messages' | 'conversations'): HeldWrites
  /** Catch-up requests are not asked until the function that this gives is called. */
  holdPulls(): () => void
  /** The answers to polls stay under way until the function that this gives is called. */
  holdPolls(): () => void
  /** What was asked until now, each as its method and path. */
  listRequests(): readonly string[]
  /** How many catch-up requests have been answered. */
  countPulls(): number
  /** How many polls for messages have been answered. */
  countPolls(): number
  /** What has been sent of files in pieces. */
  countFiled(): FileTraffic
  /** Each nth request with a piece of a file breaks off in its middle. */
  breakEveryUpload(nth: number): void
  /** Uploads in pieces are answered as by an older server, which has no such address. */
  haveNoPieces(): void
  /** Every request takes up to so many milliseconds longer, each way. */
  delay(ms: number): void
  /** Bytes trickle, both ways; the parts of long answers may never come. */
  slow(line: SlowLineOptions): void
  /** Every write reaches the server twice. */
  duplicate(): void
  /** Every write reaches the server once more, after the write that follows it. */
  reorder(): void
  /** The next `count` requests (all, when absent) are answered with this status, and never reach the server. */
  answer(status: number, count?: number): void
  /** Everything is answered 200 with a page, as by a hotel's network before somebody signs in to it. */
  answerAsPortal(): void
  /** A push with these words is answered with this status each time, and never reaches the server. */
  refuseWords(words: string, status: number): void
  /** Every file is answered with this status, as by a proxy that can't take it. */
  answerUploads(status: number): void
  /** Polls that begin from now on hang on a connection that is dead and does not say so. */
  hangPolls(): void
  /** No WebSocket gets through, as behind some proxies; requests do. */
  blockSockets(): void
  /** Sockets that open from now on are of the first version, as with an older server. */
  speakFirstVersion(): void
  /** What comes by the sockets is lost, doubled, overtaken or cut short, at random. */
  spoilFrames(): void
  /** Ends every fault, and the pages are told, so that none waits out a long back-off. */
  calm(): void
  /** Where there is a network, the pages are told: a server that was away for long comes back to long back-offs. */
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
  /** Ends all that is under way and lets nothing more through. */
  cut(): void
  /** Lets nothing come back any more, and says nothing. */
  freeze(): void
}

export function createLabNetwork(options: { random: () => number }): LabNetwork {
  const pages = new Set<LabPage>()
  const links = new Set<{ cutSockets(): void; cutRequests(): void }>()
  const faults = createRequestFaults(options)
  const state = {
    isDark: false,
    areSocketsBlocked: false,
    isFirstVersion: false,
    areFramesSpoilt: false,
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
        // A port that nothing listens on: the error and the close come as from a dead network.
        const isClosed = state.isDark || state.areSocketsBlocked || life.isCut
        const offered = [protocols ?? []].flat()
        const isKept = (one: string) => !state.isFirstVersion || one !== changesProtocol
        super(isClosed ? 'ws://127.0.0.1:1/' : url, offered.filter(isKept))
        sockets.add(this)
        this.on('close', () => sockets.delete(this))
      }
      override emit(event: string | symbol, ...args: unknown[]): boolean {
        if (event !== 'message' || !state.areFramesSpoilt) return super.emit(event, ...args)
        return spoilFrame(String(args[0]), (text) => super.emit('message', text))
      }
    }
    const late: string[] = []
    function spoilFrame(frame: string, give: (text: string) => boolean): boolean {
      const chance = options.random()
      if (chance < 0.1) return false
      if (chance < 0.2) return late.push(frame) > 0
      if (chance < 0.3) return give(frame.slice(0, frame.length / 2))
      if (chance < 0.4) give(frame)
      give(frame)
      for (const text of late.splice(0)) give(text)
      return true
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
        if (life.isFrozen) return await new Promise<never>(() => {})
        const response = await faults.send(String(input), init, life.requests.signal)
        return life.isFrozen ? await new Promise<never>(() => {}) : response
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
    spoilFrames() {
      state.areFramesSpoilt = true
    },
    calm() {
      Object.assign(state, {
        areSocketsBlocked: false,
        isFirstVersion: false,
        areFramesSpoilt: false,
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
