import NodeWebSocket from 'ws'
import { breakOff } from './break-off.ts'
import { createFrameSpoiler } from './frame-spoiler.ts'
import type { LabPage } from './page.ts'
import {
  type AddedFault,
  createRequestFaults,
  type Exchange,
  type Fault,
  type Matcher,
  type Send,
} from './request-faults.ts'

/** One device's network: its faults lie between the real app and the real server. */
export interface Network {
  /** Blocks everything, and notifies the pages, as a browser does. */
  goOffline(): void
  goOnline(): void
  /** Blocks everything without notifying anyone: a dead access point. */
  goDark(): void
  isDark(): boolean
  /**
   * Lets something happen to the requests that match, from now on.
   * @param name takes the place of an earlier fault of this name
   */
  add(fault: Fault, name?: string): AddedFault
  /** Blocks WebSockets, as some proxies do; requests pass. */
  blockSockets(): void
  /** Breaks every open WebSocket. */
  cutSockets(): void
  /** Randomly loses, doubles, delays or truncates what comes and goes over sockets. */
  spoilFrames(): void
  /** Ends every fault and notifies the pages, so that none waits out a long back-off. */
  calm(): void
  /** Where there is a network, notifies the pages: a long outage leaves long back-offs. */
  hurry(): void
  /** All requests so far. */
  readonly exchanges: readonly Exchange[]
  /** Calls back with everything that goes over it from now on, either way, before TLS. */
  record(listener: (told: string) => void): void
  connect(): Link
  addPage(page: LabPage): () => void
}

/** One tab's end of the network. */
export interface Link {
  fetch: typeof fetch
  WebSocket: typeof WebSocket
  /** Ends everything under way and blocks everything further. */
  cut(): void
  /** Silently drops everything that comes back. */
  freeze(): void
}

/** A socket's frames that a protocol of its own takes out of the line, and answers itself. */
export interface FrameTaker {
  /** @returns false for every frame that just passes */
  take(text: string): boolean
  hear(text: string): boolean
}

/** One socket, for who takes its frames. */
export interface TakenSocket {
  /** Where requests to the same server go. */
  origin: string
  send: (text: string) => void
  give: (text: string) => void
  cut: () => void
  /** Aborts when the socket is closed. */
  closed: AbortSignal
  /** Meets the faults of requests. */
  ask: Send
}

export interface NetworkOptions {
  random: () => number
  /** Requests that wait for news. */
  isPoll?: Matcher | undefined
  /** How requests reach the server, when it is a function in this process. */
  fetch?: typeof fetch | undefined
  /** Changes a request that leaves. */
  rewrite?: ((init: RequestInit) => RequestInit) | undefined
  /** Changes the protocols that a new socket offers. */
  offer?: ((protocols: readonly string[]) => string[]) | undefined
  takeFrames?: ((socket: TakenSocket) => FrameTaker) | undefined
  onExchange?: ((exchange: Exchange) => void) | undefined
  onFrame?: ((way: 'there' | 'back', text: string) => void) | undefined
}

/** What a frozen tab hears. */
const never = new Promise<never>(() => {})

export function createNetwork(options: NetworkOptions): Network {
  const { random, rewrite, offer = (protocols) => [...protocols], takeFrames, onFrame } = options
  const pages = new Set<LabPage>()
  const links = new Set<{ cutSockets(): void; cutRequests(): void }>()
  const faults = createRequestFaults(options)
  const state = { isDark: false, areSocketsBlocked: false, areFramesSpoilt: false }
  const listeners = new Set<(told: string) => void>()

  function tell(told: string) {
    for (const listener of listeners) listener(told)
  }
  async function tellRequest(url: string, init: RequestInit) {
    if (listeners.size === 0) return
    tell(`${url} ${JSON.stringify(init.headers ?? {})}`)
    // Forms and blobs, as they are written out.
    if (init.body) tell(Buffer.from(await new Response(init.body).arrayBuffer()).toString('latin1'))
    if (typeof init.body === 'string') tell(init.body)
  }
  function tellAnswer(response: Response): Response {
    if (listeners.size === 0) return response
    const told = response.clone().text()
    // What is cut off in the middle was told by another answer.
    told.then(tell).catch(() => {})
    return response
  }

  function cutSockets() {
    for (const link of links) link.cutSockets()
  }
  function cutAll() {
    cutSockets()
    for (const link of links) link.cutRequests()
  }

  function connect(): Link {
    const sockets = new Set<NodeWebSocket>()
    const life = { isCut: false, isFrozen: false }
    /** Each its own: one signal for all would gather their listeners. */
    const requests = new Set<AbortController>()
    class LabSocket extends NodeWebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        // A port without a listener: the error and the close come as from a dead network.
        const isClosed = state.isDark || state.areSocketsBlocked || life.isCut
        super(isClosed ? 'ws://127.0.0.1:1/' : url, offer([protocols ?? []].flat()))
        sockets.add(this)
        this.on('close', () => {
          sockets.delete(this)
          this.#closed.abort()
        })
      }
      readonly #closed = new AbortController()
      readonly #spoil = {
        sent: createFrameSpoiler({ random }),
        heard: createFrameSpoiler({ random }),
      }
      readonly #taker = takeFrames?.({
        origin: new URL(this.url.replace(/^ws/, 'http')).origin,
        send: (text) => this.#send(text),
        give: (text) => this.#give(text),
        cut: () => this.terminate(),
        closed: this.#closed.signal,
        ask: async (...asked) => (life.isFrozen ? await never : await faults.send(...asked)),
      })
      #send(text: string) {
        if (state.areFramesSpoilt) this.#spoil.sent(text, (spoilt) => super.send(spoilt))
        else super.send(text)
      }
      #give(text: string) {
        if (life.isFrozen) return
        if (state.areFramesSpoilt)
          this.#spoil.heard(text, (spoilt) => super.emit('message', spoilt))
        else super.emit('message', text)
      }
      override send(text: string) {
        tell(text)
        onFrame?.('there', text)
        if (this.#taker?.take(text)) return
        if (this.#taker) super.send(text)
        else this.#send(text)
      }
      override emit(event: string | symbol, ...args: unknown[]): boolean {
        if (event !== 'message') return super.emit(event, ...args)
        const text = String(args[0])
        tell(text)
        onFrame?.('back', text)
        if (!this.#taker?.hear(text)) this.#give(text)
        return true
      }
    }
    const link = {
      cutSockets: () => sockets.forEach((socket) => void socket.terminate()),
      cutRequests() {
        for (const request of requests) {
          request.abort(new TypeError('fetch failed: the network is gone'))
        }
        requests.clear()
      },
    }
    links.add(link)
    return {
      fetch: (async (input, given = {}) => {
        if (state.isDark || life.isCut) throw new TypeError('fetch failed: there is no network')
        if (life.isFrozen) return await never
        const request = new AbortController()
        const { signal } = request
        requests.add(request)
        const forget = () => void requests.delete(request)
        try {
          const { url, init } = await readRequest(input, given)
          await tellRequest(url, init)
          const response = await faults.send(url, rewrite?.(init) ?? init, { cut: signal })
          return life.isFrozen ? await never : breakOff(tellAnswer(response), signal, forget)
        } catch (error) {
          forget()
          throw error
        }
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
    isDark: () => state.isDark,
    add: faults.add,
    blockSockets() {
      state.areSocketsBlocked = true
      cutSockets()
    },
    cutSockets,
    spoilFrames() {
      state.areFramesSpoilt = true
    },
    calm() {
      Object.assign(state, { areSocketsBlocked: false, areFramesSpoilt: false, isDark: false })
      faults.calm()
      for (const page of pages) page.tellOnline()
    },
    hurry() {
      if (!state.isDark) for (const page of pages) page.tellOnline()
    },
    exchanges: faults.exchanges,
    record: (listener) => void listeners.add(listener),
    connect,
    addPage(page) {
      pages.add(page)
      page.setOnline(!state.isDark)
      return () => pages.delete(page)
    },
  }
}

/** A call of `fetch`, whatever form it has, as an address and its options. */
async function readRequest(input: RequestInfo | URL, given: RequestInit) {
  if (!(input instanceof Request)) return { url: String(input), init: given }
  const { method, headers, signal } = input
  const body = method === 'GET' || method === 'HEAD' ? null : await input.text()
  return { url: input.url, init: { method, headers, signal, body, ...given } as RequestInit }
}
