import { changesProtocol } from '../../../schema/api/socket-events.ts'
import { wireHeader, wireProtocolPrefix } from '../../../schema/api/wire.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createNetwork, type Network, type NetworkOptions } from '../kit/network.ts'
import type { Asked, Matcher } from '../kit/request-faults.ts'
import type { SlowLineOptions } from '../kit/slow-line.ts'
import { createPushFrames } from './push-frames.ts'

/** The kit's network, with Petrel's faults by name. */
export type LabNetwork = ReturnType<typeof createLabNetwork>

export interface HeldWrites {
  /** How many are on their way. */
  count(): number
  /** Lets them arrive. */
  release(): void
}

/** Requests with file pieces, the broken ones, and the bytes of the successful ones. */
interface FileTraffic {
  requests: number
  brokenRequests: number
  takenBytes: number
}

/** What something between the device and the server answers in its place. */
interface BetweenAnswer {
  status: number
  body: string
}

/** Requests that change server data, by replication or a call; not signing in and out. */
const isWrite: Matcher = ({ url, method }) =>
  url.includes('_bulk_docs') ||
  (method !== 'GET' && url.includes('/api/') && !url.includes('/api/auth/'))
const isFile: Matcher = (asked) => isWrite(asked) && asked.body instanceof Blob
const isPoll: Matcher = ({ url }) => url.includes('feed=longpoll')
const isPull: Matcher = ({ url }) => url.includes('feed=normal')

export function createLabNetwork(
  options: { random: () => number } & Pick<NetworkOptions, 'onExchange' | 'onFrame'>,
) {
  const state = { isFirstVersion: false, wire: undefined as number | undefined }
  const network: Network = createNetwork({
    ...options,
    isPoll,
    rewrite: (init) =>
      state.wire === undefined
        ? init
        : { ...init, headers: { ...init.headers, [wireHeader]: String(state.wire) } },
    offer: (protocols) =>
      protocols
        .filter((one) => !state.isFirstVersion || one !== changesProtocol)
        .map((one) =>
          state.wire !== undefined && one.startsWith(wireProtocolPrefix)
            ? `${wireProtocolPrefix}${state.wire}`
            : one,
        ),
    takeFrames: createPushFrames,
  })
  const { add } = network
  let pieces = 0

  /** @returns the function that lets them go on */
  function hold(name: string, side: 'there' | 'back', when: Matcher): HeldWrites {
    const { promise, resolve } = createDeferred()
    const added = add({ do: 'hold', side, until: promise, when }, name)
    return {
      count: added.count,
      release() {
        added.remove()
        resolve()
      },
    }
  }
  const countAnswered = (isWanted: (url: string) => boolean) =>
    network.exchanges.filter(({ url, status }) => status !== undefined && isWanted(url)).length

  return {
    ...network,
    /** The server receives and acts; its next `count` answers to writes never arrive. */
    loseResponses: (count: number) =>
      void add({ do: 'lose-response', when: isWrite, count }, 'lost'),
    /** Delays answers to writes until the returned function is called. */
    holdResponses: () => hold('responses', 'back', isWrite).release,
    /** Delays writes to a collection, or to all groups, on their way to the server, so that others overtake them. */
    holdWrites: (collection: 'messages' | 'conversations' | 'groups') =>
      hold(
        collection,
        'there',
        (asked) => isWrite(asked) && asked.path.includes(`/sync/${collection}/`),
      ),
    /** Delays catch-up requests until the returned function is called. */
    holdPulls: () => hold('pulls', 'there', isPull).release,
    /** Delays answers to polls until the returned function is called. */
    holdPolls: () => hold('polls', 'back', isPoll).release,
    /** All requests so far, each as its method and path. */
    listRequests: (): readonly string[] =>
      network.exchanges.map(({ method, path }) => `${method} ${path}`),
    /** The place after which each catch-up request of a collection asked. */
    listPulledAfter: (collection: 'messages' | 'conversations'): readonly string[] =>
      network.exchanges
        .filter(({ path }) => path.endsWith('/_changes') && path.includes(`/${collection}/`))
        .map(({ url }) => new URL(url).searchParams.get('since') ?? '0'),
    /** How many catch-up requests have been answered. */
    countPulls: () => countAnswered((url) => url.includes('feed=normal')),
    /** How many polls for messages have been answered. */
    countPolls: () =>
      countAnswered((url) => url.includes('feed=longpoll') && url.includes('/messages/')),
    /** The file pieces sent so far. */
    countFiled(): FileTraffic {
      const filed = network.exchanges.filter(
        ({ blobBytes, url, method }) => blobBytes > 0 && isWrite({ url, method } as Asked),
      )
      const isBroken = (faults: readonly string[]) => faults.includes('cut-request')
      return {
        requests: filed.length,
        brokenRequests: filed.filter(({ faults }) => isBroken(faults)).length,
        takenBytes: filed
          .filter(({ status }) => status !== undefined && status < 300)
          .reduce((sum, { blobBytes }) => sum + blobBytes, 0),
      }
    },
    /** Breaks each nth request with a file piece in its middle. */
    breakEveryUpload: (nth: number) =>
      void add(
        { do: 'cut-request', when: (asked) => isFile(asked) && ++pieces % nth === 0 },
        'broken uploads',
      ),
    /** Answers uploads in pieces like an older server, which lacks that address. */
    haveNoPieces: () =>
      void add(
        {
          do: 'answer',
          status: 404,
          body: { error: 'There is nothing at this address.', code: 'not_found' },
          when: ({ url }) => url.includes('/messages/uploads/'),
        },
        'no pieces',
      ),
    /** Delays every request by up to the given milliseconds, each way. */
    delay: (ms: number) => void add({ do: 'delay', upToMs: ms }, 'delay'),
    /** Bytes trickle both ways; the rest of long answers may never come. */
    slow: (line: SlowLineOptions) => void add({ do: 'slow', ...line }, 'slow'),
    /** Every write reaches the server twice. */
    duplicate: () => void add({ do: 'duplicate', when: isWrite }, 'duplicate'),
    /** Every write reaches the server once more, after the write that follows it. */
    reorder: () => void add({ do: 'reorder', when: isWrite }, 'reorder'),
    /**
     * Answers the next `count` requests (all, when absent) with this status; they never reach the
     * server.
     */
    answer: (status: number, count = Number.POSITIVE_INFINITY) =>
      void add(
        {
          do: 'answer',
          status,
          count,
          body: { error: 'The lab answers in place of the server.', code: 'lab' },
        },
        'answer',
      ),
    /** Answers everything 200 with a page, like a hotel's network before its sign-in. */
    answerAsPortal: () =>
      void add({ do: 'answer', status: 200, body: '<html>Your room?' }, 'portal'),
    /** Answers a push containing these words with this status; it never reaches the server. */
    refuseWords: (words: string, status: number) =>
      void add(
        {
          do: 'answer',
          status,
          body: '<html>Blocked',
          when: ({ url, text }) => url.includes('_bulk_docs') && text?.includes(words) === true,
        },
        'refused',
      ),
    /** Answers everything like this for so long; nothing reaches the server. */
    stepBetween: ({ status, body, ms }: BetweenAnswer & { ms: number }) =>
      void add({ do: 'answer', status, body, forMs: ms }, 'between'),
    /** Answers every file with this status, like a proxy that can't accept it. */
    answerUploads: (status: number) =>
      void add(
        {
          do: 'answer',
          status,
          body: '<html>Bad gateway',
          when: ({ url }) => url.includes('/messages/upload'),
        },
        'uploads',
      ),
    /** New polls hang on a silently dead connection. */
    hangPolls: () => void add({ do: 'hang', when: isPoll }, 'hanging polls'),
    /** New sockets use the first version, as with an older server. */
    speakFirstVersion() {
      state.isFirstVersion = true
      network.cutSockets()
    },
    /** Everything says that it comes from this version of the app; undefined for its own. */
    tellWire(version: number | undefined) {
      state.wire = version
      network.cutSockets()
    },
    calm() {
      Object.assign(state, { isFirstVersion: false, wire: undefined })
      network.calm()
    },
  }
}
