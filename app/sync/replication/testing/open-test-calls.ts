import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { createClock } from '../../../database/storage/clock.ts'
import type { OwnGroups, PulledGroup } from '../../groups/own-groups.ts'
import type { KeptDocuments } from '../../inbox/kept-documents.ts'
import { createBackOff } from '../../platform/back-off.ts'
import { createGroupPull, type GroupChanged, type PassedPlaces } from '../group-pull.ts'
import { createPullChanges, type DatabaseFeed, type PullCheckpoint } from '../pull-changes.ts'
import { createPullPace } from '../pull-pace.ts'
import { createPushDocuments } from '../push-documents.ts'
import { createPushWatch } from '../push-watch.ts'
import type { ServerDocument, ServerVersions } from '../server-versions.ts'
import { createSetAside, type SetAsideTold } from '../set-aside.ts'
import { type Line, type SyncCall, slowestLine } from '../transport/fetch-with-stall-timeout.ts'
import { createSyncCalls, type SyncOutcome } from '../transport/sync-calls.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

type PushOptions = Parameters<typeof createPushDocuments>[0]

/** One side of a replication, before a scripted server that records the requests. */
export async function openTestCalls(
  answerRequest: Answer,
  options: {
    pageRows?: number
    line?: Line
    heard?: { at: number }
    epoch?: string
    versions?: ServerVersions
    feed?: DatabaseFeed
    kept?: KeptDocuments
    readToken?: () => string
    /** The first delay after a failure. */
    firstMs?: number
    onSetAside?: (all: SetAsideTold) => void
    /** Has this person groups? */
    hasGroups?: boolean
    /** Those that this device believes to be there. */
    madeGroups?: readonly string[]
    passed?: PassedPlaces | undefined
    /** What it has of each group's record. */
    recordOf?: OwnGroups['recordOf']
    explainClosed?: PushOptions['explainClosed']
    refusals?: PushOptions['refusals']
  } = {},
) {
  const { pageRows = 20, line = slowestLine, versions, feed, kept } = options
  const { readToken = () => 'a token' } = options
  const asked: string[] = []
  const told: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.replace('/sync/messages/', '')}`)
    void answerRequest(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = new AbortController()
  const { signal } = stop
  onTestFinished(() => {
    stop.abort(new Error('The test is over.'))
    server.closeAllConnections()
    server.close()
  })
  const stored = { place: 0 }
  const outcomes: SyncOutcome[] = []
  const coming: number[] = []
  const again: string[] = []
  const askAgain = () => void again.push('asked')
  const onOutcome = (outcome: SyncOutcome) => void outcomes.push(outcome)
  const clock = createClock({ now: () => 1_000 })
  const epoch = {
    get: () => options.epoch,
    async take(epoch: string) {
      told.push(epoch)
      return epoch === (options.epoch ?? epoch)
    },
  }
  let open = 0
  const countedFetch: typeof fetch = async (...call) => {
    open += 1
    try {
      return await fetch(...call)
    } finally {
      open -= 1
    }
  }
  const backOff = createBackOff({ random: () => 1, firstMs: options.firstMs ?? 20 })
  const callsTo = (path: string) =>
    createSyncCalls({
      fetch: countedFetch,
      epoch,
      clock,
      line,
      heard: options.heard,
      signal,
      onOutcome,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`,
      readToken,
      backOff,
    })
  const calls = callsTo('sync/messages/')
  const pushes = createPushWatch({ untilNoted: async () => {} })
  const { onSetAside: onChange = () => {} } = options
  const setAside = createSetAside({ random: () => 0, onDue: () => {}, onChange })
  onTestFinished(setAside.close)
  const groups: PulledGroup[] = []
  const passings: PassedPlaces[] = []
  const groupPull = options.hasGroups
    ? createGroupPull({
        calls: callsTo(''),
        pushes,
        askAgain,
        give: (documents, places) => pulling.giveGroup(documents, places),
        onFailed: (cause) => expect.unreachable(String(cause)),
        isOn: () => true,
        listMade: async () => options.madeGroups ?? [],
        recordOf: options.recordOf ?? (() => undefined),
        onGroups: async (told) => void groups.push(...told),
        passed: options.passed,
        keepPassed: async (passed) => void passings.push(passed),
      })
    : undefined
  const pulling = createPullChanges<ServerDocument>({
    calls,
    epoch,
    versions,
    pushes,
    feed,
    kept,
    askAgain,
    groups: groupPull,
    signal,
    onOutcome,
    onComing: (count) => void coming.push(count),
    pace: createPullPace(() => stored.place),
    pageRows,
  })
  const given: { documents: readonly ServerDocument[]; checkpoint: PullCheckpoint }[] = []
  pulling.stream$.subscribe((gift) => given.push(gift))
  return {
    /** Takes what the line brought of a group. */
    hear: (told: GroupChanged) => groupPull?.hear(told),
    /** What the stream delivered. */
    given,
    /** What was told of groups. */
    groups,
    /** What was kept for the next start of what was passed over. */
    passings,
    /** Sends one request, with retries as needed. */
    ask: async (call: SyncCall) =>
      (
        await calls.ask(
          () => call,
          (body) => body,
        )
      ).answer,
    pull: (since: number, groups: Omit<PullCheckpoint, 'sequence'> = {}) =>
      pulling.pull({ sequence: since, ...groups }),
    pulling,
    pushes,
    ...createPushDocuments({
      calls,
      versions,
      pushes,
      setAside,
      signal,
      explainClosed: options.explainClosed,
      refusals: options.refusals,
    }),
    setAside,
    backOff,
    asked,
    /** Does a request wait for its answer? */
    isAsking: () => open > 0,
    told,
    outcomes,
    coming,
    again,
    clock,
    stop,
    stored,
  }
}

export function readQuery(request: IncomingMessage): URLSearchParams {
  return new URL(request.url ?? '', 'http://localhost').searchParams
}

export function answerJson(
  response: ServerResponse,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Rows of `_changes` from one sequence number on. */
export function makeRows(count: number, from = 1) {
  return Array.from({ length: count }, (_, n) => {
    const id = `${from + n}`
    return { id, seq: from + n, doc: { _id: id, _rev: '1-a' } }
  })
}

/** Answers a push: accepts every document. */
export function answerRows(response: ServerResponse, docs: readonly { _id: string }[]) {
  answerJson(
    response,
    docs.map(({ _id: id }) => ({ id, ok: true })),
  )
}
