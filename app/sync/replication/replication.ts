import type { RxCollection, RxReplicationWriteToMasterRow, WithDeleted } from 'rxdb/plugins/core'
import { type RxReplicationState, replicateRxCollection } from 'rxdb/plugins/replication'
import { refuseGroupWriter } from '../../../schema/group.ts'
import { idPattern } from '../../../schema/id.ts'
import { limits } from '../../../schema/limits.ts'
import { type MessageCollection, subscribeToChanges } from '../../database/storage/collections.ts'
import { openOwedNotes, readDexie } from '../../database/storage/dexie/owed-notes.ts'
import type { PushHold } from '../files/push-hold.ts'
import type { OwnGroups, PulledGroup } from '../groups/own-groups.ts'
import { type BackOff, pause } from '../platform/back-off.ts'
import { findOwed, findOwedAmong, wholeKey } from './find-owed.ts'
import { createGroupPull, type GroupChanged, type PassedPlaces } from './group-pull.ts'
import {
  createPushFloor,
  guardReplication,
  type PushFloor,
  type ReadPulled,
} from './guard-replication.ts'
import { createPullChanges, type PullChangesOptions, type PullCheckpoint } from './pull-changes.ts'
import { createPullPace } from './pull-pace.ts'
import { createPushDocuments, type FinalRefusals } from './push-documents.ts'
import { createPushOrder } from './push-order.ts'
import { createPushWatch } from './push-watch.ts'
import type { ServerDocument } from './server-versions.ts'
import { createSetAside, type SetAsideTold } from './set-aside.ts'
import { createSyncCalls, type Refusal, type SyncCallsOptions } from './transport/sync-calls.ts'

/** RxDB reacts to a request a moment later. */
const heardAfterMs = 10

/** A catch-up that does not begin is asked for again, at most after this long. */
const askAgainMostMs = 1_000

export interface ReplicationOptions<T extends { _id: string }>
  extends Omit<SyncCallsOptions, 'signal' | 'backOff'>,
    Pick<PullChangesOptions, 'versions' | 'feed' | 'kept' | 'unparsed' | 'onComing' | 'onCatchUp'> {
  collection: RxCollection<T>
  /** Names its checkpoints on this device. */
  identifier: string
  /** One per direction: a rejected push does not delay the pull. */
  backOffs: BackOffs
  random: () => number
  /** How many documents are set aside after refusals, and the status. */
  onSetAside: (all: SetAsideTold) => void
  /**
   * The device's own storage failed: pulled documents may be missing, so this replication must
   * stop.
   */
  onBroken: (cause: unknown) => void
  /** The device's database was deleted and recreated: this replication must stop. */
  onRecreated: () => void
  /** This person's groups, which have databases of their own. */
  groups?: {
    /** The server's origin, with a trailing slash. */
    serverUrl: string
    /** The group whose database has this document; undefined for the person's own. */
    groupOf: (document: ServerDocument) => string | undefined
    /** Stores what became of groups, before the messages of each. */
    onGroups: (groups: readonly PulledGroup[]) => Promise<void>
    /** Is there anything to ask for? A server may have no groups. */
    isOn: () => boolean
    /** The groups that this device believes to be there. */
    listMade: () => Promise<readonly string[]>
    /** The record that this device has of a group. */
    recordOf: OwnGroups['recordOf']
    /** What was passed over of groups before this start, and keeps that for the next. */
    passed?: PassedPlaces | undefined
    keepPassed?: (passed: PassedPlaces) => Promise<unknown>
    /** Those of a group's messages that no answer has come for; what the server has yet to take, and what it took. */
    listUnanswered: (groupId: string) => Promise<readonly string[]>
    /** The server took these, and will say nothing more of them. */
    setTaken: (ids: readonly string[]) => Promise<void>
    /** What this group refuses for good. */
    refusalsOf: (groupId: string) => FinalRefusals
  }
  /** Converts documents from the server, and those sent to it. */
  fromServer: (document: T) => T
  /** Holds back documents that may not leave yet. */
  hold?: PushHold
  /** The server has more room for this person than before. */
  onRoom?: () => void
  /** New messages of a conversation leave in their order. */
  ordered?: MessageCollection
  /** Null for a document that can never leave; it then blocks nothing. */
  toServer: (document: T) => T | null
  /** Offered in place of an earlier version whose push still waits. */
  isWithdrawn?: (document: T) => boolean
  /** Pushes wait for this first. */
  untilFree?: (
    rows: readonly RxReplicationWriteToMasterRow<T>[],
    signal: AbortSignal,
  ) => Promise<void>
}

export interface BackOffs {
  pull: BackOff
  push: BackOff
}

export interface Replication {
  /** Asks the server for changes, and offers it what is owed. */
  reSync(): void
  /** What the line brought of a group. @returns false where the server has to be asked */
  takeGroupChanged(told: GroupChanged): boolean
  /** The network changed, or the person is looking: also offers documents set aside. */
  release(): void
  /** The server may have room by now: also offers what it refused. */
  releaseOfServer(): void
  close(): Promise<void>
  /** Ends it, and deletes its checkpoints and notes on the server's versions. */
  remove(): Promise<void>
}

/** Chosen by measurement: larger ones catch up no faster, and block the page longer. */
const pullBatch = 500

const pushBatch = 100

/**
 * While everything is offered again, most of it never leaves the device. The server's batch limit.
 */
const offerBatch = limits.syncBatchMaxDocuments

/** These failures are not requests: only keeps RxDB from spinning. */
const retryTimeMs = 50

/** Replicates one collection with the caller's server database, both ways, until closed. */
export function createReplication<T extends { _id: string }>(
  options: ReplicationOptions<T>,
): Replication {
  const { collection, versions, feed, hold, groups, onOutcome, onComing, onCatchUp, onBroken } =
    options
  const stop = new AbortController()
  const { signal } = stop
  const internal = () => state.internalReplicationState
  let readPulled: ReadPulled | undefined
  const readStored = () => (readPulled?.() as { sequence?: unknown } | undefined)?.sequence
  const calls = {
    pull: createSyncCalls({ ...options, backOff: options.backOffs.pull.share(), signal }),
    push: createSyncCalls({ ...options, backOff: options.backOffs.push.share(), signal }),
  }
  const callGroups = (url: string, backOff: BackOff) =>
    createSyncCalls({ ...options, url, backOff: backOff.share(), signal })
  const setAside = createSetAside({
    random: options.random,
    onChange: options.onSetAside,
    onDue: () => void offer(),
  })
  const pushes = createPushWatch({ untilNoted: async () => await internal()?.streamQueue.up })
  const groupPull =
    groups &&
    createGroupPull({
      calls: callGroups(groups.serverUrl, options.backOffs.pull),
      pushes,
      async onGroups(pulled) {
        // After a restore another replication says what the groups are.
        signal.throwIfAborted()
        await groups.onGroups(pulled)
        for (const { groupId, isOver } of pulled) if (isOver) settleOver(groupId).catch(fail)
      },
      isOn: groups.isOn,
      listMade: groups.listMade,
      recordOf: groups.recordOf,
      passed: groups.passed,
      keepPassed: groups.keepPassed,
      askAgain,
      give: (documents, places) => pulling.giveGroup(documents, places),
      onFailed: (cause) => fail(cause),
    })
  const pulling = createPullChanges<T>({
    calls: calls.pull,
    epoch: options.epoch,
    versions,
    pushes,
    feed,
    kept: options.kept,
    unparsed: options.unparsed,
    groups: groupPull,
    untilStored: async () => await internal()?.streamQueue.down,
    askAgain,
    signal,
    onOutcome,
    onComing,
    onCatchUp,
    pace: createPullPace(readStored),
    pageRows: pullBatch,
  })
  const order =
    options.ordered &&
    createPushOrder({
      messages: options.ordered,
      async listOwed(ids) {
        await state.startPromise
        const notes = state.metaInstance
        const owed = notes ? await findOwedAmong({ collection, notes, ids }) : []
        const able = owed.filter((document) => toPushed(document) !== null)
        return new Set(able.map(({ _id }) => _id))
      },
      onBehind(ids) {
        setAside.releaseAhead(ids)
        void offer()
      },
    })
  const toOwn = { calls: calls.push, versions, pushes, setAside, order, signal }
  /** Groups of which the server has said that they are over. */
  const settledOver = new Set<string>()
  const pushing = createPushSources({
    groupOf: (document) => groups?.groupOf(document),
    open: (groupId) =>
      groups && groupId !== undefined
        ? createPushDocuments({
            ...toOwn,
            calls: callGroups(`${groups.serverUrl}sync/groups/${groupId}/`, options.backOffs.push),
            explainClosed: explainLeft,
            explainOver: () =>
              settledOver.has(groupId) ? explainLeft({ status: 404 }) : undefined,
            refusals: groups.refusalsOf(groupId),
          })
        : createPushDocuments({ ...toOwn, onRoom: options.onRoom }),
  })
  const state: RxReplicationState<T, PullCheckpoint> = replicateRxCollection<T, PullCheckpoint>({
    replicationIdentifier: options.identifier,
    collection,
    live: true,
    waitForLeadership: false,
    toggleOnDocumentVisible: false,
    retryTime: retryTimeMs,
    pull: {
      handler(checkpoint) {
        asking.begun += 1
        return pulling.pull(checkpoint)
      },
      stream$: pulling.stream$,
      // Pages are smaller on a slow line: only an empty one ends the catch-up.
      batchSize: 1,
      modifier: (document: WithDeleted<T>) => ({
        ...options.fromServer(document),
        _deleted: false,
      }),
    },
    push: {
      async handler(rows) {
        const documents = rows.map(({ newDocumentState }) => newDocumentState)
        const servers = new Map(
          rows.map((row) => [row.newDocumentState._id, row.assumedMasterState] as const),
        )
        const sorted = await hold?.sort(documents, (id) => servers.get(id))
        const { free = documents, returned = [] } = sorted ?? {}
        // Whatever kept them until now has nothing more to wait for.
        setAside.drop(returned.map(({ _id }) => _id))
        for (const { _id } of returned) order?.recordAnswered(_id)
        const untilFree = async () => await options.untilFree?.(rows, signal)
        return (await pushing.push(free, { untilFree, servers })) as WithDeleted<T>[]
      },
      batchSize: versions ? offerBatch : pushBatch,
      modifier: toPushed,
    },
  })
  function toPushed(document: WithDeleted<T>): WithDeleted<T> | null {
    // The server has no place for such an id, and would stop its whole batch.
    if (!idPattern.test(document._id)) return null
    const pushed = options.toServer(document)
    return pushed && { ...pushed, _deleted: false }
  }
  const unsubscribeChanges = subscribeToChanges(collection, ({ documents }) => {
    for (const document of documents) {
      // Any other version waits for its own push, which may have to be held back.
      if (!pushing.isRunning(document._id) || !options.isWithdrawn?.(document)) continue
      const pushed = toPushed(document)
      if (pushed) pushing.replace(pushed)
    }
  })
  /**
   * RxDB delays all arrivals while it pushes, however long; the watch delays only those affected.
   */
  async function letThrough() {
    await state.startPromise
    if (signal.aborted) return
    const active = internal()?.events.active.up
    const subscription = active?.subscribe((isActive) => {
      if (isActive && !pushes.isIdle()) active.next(false)
    })
    signal.addEventListener('abort', () => subscription?.unsubscribe(), { once: true })
    pushes.onBegun(() => active?.next(false))
  }
  /** Deleting a database under an open page leaves places that are invalid in the next one. */
  async function watchDatabases() {
    await state.startPromise
    const storages = [collection.storageInstance, state.metaInstance ?? collection.storageInstance]
    for (const dexie of await Promise.all(storages.map(readDexie))) {
      if (signal.aborted) return
      dexie.on('populate', options.onRecreated)
      signal.addEventListener('abort', () => dexie.on('populate').unsubscribe(options.onRecreated))
    }
  }
  /** Catch-ups: how many requests of one have begun, and which one has to begin yet. */
  const asking = { begun: 0, wanted: 0, isUnderWay: false }
  function askAgain() {
    asking.wanted = asking.begun + 1
    state.reSync()
    if (!asking.isUnderWay) untilAsked().catch(fail)
  }
  /** RxDB drops a request that comes behind documents of the stream which still wait for the disk. */
  async function untilAsked() {
    asking.isUnderWay = true
    try {
      await state.startPromise
      for (let ms = heardAfterMs; ; ms = Math.min(2 * ms, askAgainMostMs)) {
        await pause(ms, signal)
        await internal()?.streamQueue.down
        if (asking.begun >= asking.wanted) return
        state.reSync()
      }
    } finally {
      asking.isUnderWay = false
    }
  }
  const { identifier } = options
  const floor = createPushFloor()
  const offering = { isUnderWay: false, isAgain: false }
  /** One at a time: each waits for the current one to end, then checks everything. */
  async function offer() {
    offering.isAgain = true
    if (offering.isUnderWay) return
    offering.isUnderWay = true
    while (offering.isAgain && !signal.aborted) {
      offering.isAgain = false
      const isSetAside = (id: string) => setAside.isWaiting(id) || hold?.isWaiting(id) === true
      await offerOwed({ state, collection, identifier, isSetAside, floor }).catch(fail)
    }
    offering.isUnderWay = false
  }
  function fail(error: unknown) {
    if (!signal.aborted) onBroken(error)
  }
  /**
   * What a group took is sent, though its own version can come no more. From here on whatever leaves is
   * refused; what had left before is noted once those pushes are.
   */
  async function settleOver(groupId: string) {
    if (!groups || settledOver.has(groupId)) return
    settledOver.add(groupId)
    // A 404 said so before the server did.
    setAside.releaseOfServer()
    await state.startPromise
    await internal()?.streamQueue.up
    const notes = state.metaInstance
    const ids = await groups.listUnanswered(groupId)
    if (!notes || ids.length === 0 || signal.aborted) return
    const owed = new Set((await findOwedAmong({ collection, notes, ids })).map(({ _id }) => _id))
    await groups.setTaken(ids.filter((id) => !owed.has(id)))
  }
  const errors = state.error$.subscribe(fail)
  const unsubscribeHold = hold?.onFree(() => void offer())
  pulling.run().catch(fail)
  letThrough().catch(fail)
  state.startPromise
    .then(() => {
      const started = internal()
      const isUntaken = (id: string) =>
        setAside.has(id) || hold?.has(id) === true || order?.has(id) === true
      const onOwed = () => void offer()
      if (!started) return
      readPulled = guardReplication(started, { isUntaken, floor, onOwed, onFailed: fail, signal })
    })
    .catch(fail)
  watchDatabases().catch(fail)
  void offer()
  function end() {
    stop.abort(new Error('This replication has ended.'))
    errors.unsubscribe()
    unsubscribeChanges()
    unsubscribeHold?.()
    order?.close()
    setAside.close()
  }
  return {
    reSync() {
      askAgain()
      void offer()
    },
    takeGroupChanged: (told) => !versions && groupPull?.hear(told) === true,
    release: () => setAside.release(),
    releaseOfServer: setAside.releaseOfServer,
    async close() {
      end()
      await state.cancel()
    },
    async remove() {
      end()
      await state.remove()
    },
  }
}

/** A group answers those who are not in it as if it did not exist. */
export function explainLeft({ status }: Refusal): Refusal | undefined {
  const left = status === 404 ? refuseGroupWriter(undefined, '') : undefined
  return left && { status, code: left.code, words: left.error }
}

/**
 * RxDB finds documents to push by their write time on the device's clock, and by write events. A
 * changed clock, a crashed tab or a failed disk leaves some behind its checkpoint, never to be
 * sent. So this looks up what is owed and makes RxDB start before all of it (P11).
 */
export async function offerOwed<T extends { _id: string }, Checkpoint>(options: {
  state: RxReplicationState<T, Checkpoint>
  collection: RxCollection<T>
  identifier: string
  /** Is it set aside for now? */
  isSetAside: (id: string) => boolean
  floor: PushFloor
}): Promise<void> {
  const { state, collection, identifier, isSetAside, floor } = options
  await state.startPromise
  const { internalReplicationState: internal } = state
  if (!internal) return
  // A push under way moves the checkpoint when it ends.
  await internal.streamQueue.up
  const isOver = () => state.isStopped()
  if (isOver() || !state.metaInstance) return
  const { owed, settled } = await findOwed({ collection, notes: state.metaInstance, identifier })
  const notes = await openOwedNotes(collection)
  if (!(await notes.hasMark(wholeKey(identifier)))) {
    await notes.add(owed.map(({ _id }) => _id))
    await notes.setMarks([wholeKey(identifier)])
  }
  await notes.drop(settled)
  const first = owed
    .filter(({ _id }) => !isSetAside(_id))
    .reduce((least, { _meta }) => Math.min(least, _meta.lwt), Number.POSITIVE_INFINITY)
  if (first === Number.POSITIVE_INFINITY) return
  floor.set(first)
  while (!isOver()) {
    state.reSync()
    await new Promise((resolve) => setTimeout(resolve, heardAfterMs))
    await internal.streamQueue.up
    // A pass that started earlier makes RxDB skip this one.
    if (floor.isTaken()) return
  }
}

type PushDocuments = ReturnType<typeof createPushDocuments>

/**
 * Sorts what is pushed by the database where it belongs: the person's own, or a group's. Each
 * source answers for itself.
 */
export function createPushSources(options: {
  /** The group whose database has it; undefined for the person's own. */
  groupOf: (document: ServerDocument) => string | undefined
  open: (groupId: string | undefined) => PushDocuments
}): PushDocuments {
  const { groupOf, open } = options
  const opened = new Map<string | undefined, PushDocuments>()

  function find(groupId: string | undefined): PushDocuments {
    const source = opened.get(groupId) ?? open(groupId)
    opened.set(groupId, source)
    return source
  }

  return {
    async push(documents, given) {
      const parts = new Map<string | undefined, ServerDocument[]>()
      for (const document of documents) {
        const groupId = groupOf(document)
        parts.set(groupId, [...(parts.get(groupId) ?? []), document])
      }
      const found = await Promise.all(
        [...parts].map(([groupId, part]) => find(groupId).push(part, given)),
      )
      return found.flat()
    },
    isRunning: (id) => [...opened.values()].some((source) => source.isRunning(id)),
    replace(document) {
      find(groupOf(document)).replace(document)
    },
  }
}
