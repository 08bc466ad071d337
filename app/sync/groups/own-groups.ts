import { v7 as createId } from 'uuid'
import { type GroupAnswer, type GroupPart, joinMembers } from '../../../schema/api/groups.ts'
import type { GroupChange, GroupMember } from '../../../schema/group.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { changeConversations } from '../../database/commands/change-conversation.ts'
import type { KnownGroup, KnownMember } from '../../database/storage/known-peer.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import type { LiveValue } from '../../database/views/live-value.ts'
import type { Requests } from '../requests/requests.ts'

/** The groups that this person is or was in. */
export interface Groups {
  /** Does the server have groups? As it last said. */
  isOn(): boolean
  /** A group with everything that waits to be sent; the same live value for the same id. */
  get(groupId: string): LiveValue<KnownGroup | undefined>
  /**
   * Makes a group with these people, and this person as its owner: it is there at once, and the
   * server makes it when it is reached.
   * @returns its id
   * @throws with words for a person when the name is empty
   */
  create(given: {
    name: string
    memberIds: readonly string[]
    description?: string
    picture?: Blob | undefined
  }): Promise<string>
  /** Asks for a change; it shows at once, and waits for the network as a message does. */
  change(groupId: string, change: Exclude<GroupChange, { kind: 'create' }>): Promise<void>
  /** Gives the group this picture; null removes it. Shows and waits as any change does. */
  changePicture(groupId: string, picture: Blob | null): Promise<void>
}

/** What the server says about a group that has changed. */
export interface PulledGroup {
  groupId: string
  isMember: boolean
  /** For members, where it changed. */
  record?: GroupAnswer | undefined
  /** In place of it, what has changed of the record that this device has. */
  part?: GroupPart | undefined
  /** The server has nothing of it any more, for anybody. */
  isOver?: true
}

/** What replication asks of the same. */
export interface OwnGroups extends Groups {
  /** Stores what the server says of groups, and begins their conversations. */
  takePulled(pulled: readonly PulledGroup[]): Promise<void>
  /** Those that the server has made and, as far as this device knows, still has. */
  listMade(): Promise<string[]>
  /** The record of a group as the server last said it, without what waits. */
  recordOf(groupId: string): KnownGroup | undefined
  /** Has the server yet to make this group? What is written in it waits until then. */
  isUnborn(groupId: string): boolean
  /** Calls back when a group that was unborn may be there. */
  onBorn(listener: () => void): () => void
  close(): void
}

export function createGroups(options: {
  userId: string
  database: Pick<PetrelDatabase, 'groups' | 'conversations'>
  requests: Pick<Requests, 'add' | 'entries' | 'list'>
  isOn: () => boolean
  /** The server's time as this device knows it, epoch ms. */
  now: () => number
  onError: (cause: unknown) => void
}): OwnGroups {
  const { userId, database, requests, isOn, now, onError } = options
  const { groups: known, conversations } = database
  const live = new Map<string, LiveValue<KnownGroup | undefined>>()
  const bornListeners = new Set<() => void>()
  const waiting = createWaitingChanges(requests.entries, {
    onBorn() {
      for (const listener of [...bornListeners]) listener()
    },
    onGivenUp(groupId) {
      const group = known.get(groupId)
      if (group) known.take([{ ...group, hasLeft: true }]).catch(onError)
    },
  })

  /** The same object for the same record and the same changes, as a screen wants it. */
  function createShown(groupId: string): LiveValue<KnownGroup | undefined> {
    const last: {
      record?: KnownGroup | undefined
      changes?: readonly GroupChange[]
      shown?: KnownGroup | undefined
    } = {}
    function getSnapshot() {
      const record = known.get(groupId)
      const changes = waiting.of(groupId)
      if (last.record !== record || last.changes !== changes) {
        const shown = record && changes.reduce((group, change) => apply(group, change), record)
        Object.assign(last, { record, changes, shown })
      }
      return last.shown
    }
    return {
      getSnapshot,
      subscribe(listener) {
        const unsubscribes = [
          known.onChange((ids) => ids.includes(groupId) && listener()),
          requests.entries.subscribe(listener),
        ]
        return () => {
          for (const unsubscribe of unsubscribes) unsubscribe()
        }
      },
    }
  }

  function apply(group: KnownGroup, change: GroupChange): KnownGroup {
    return applyGroupChange(group, change, { actorId: userId, at: new Date(now()).toISOString() })
  }

  async function askForPicture(groupId: string, picture: Blob | null) {
    const change: GroupChange = { kind: 'picture', picture: null }
    await requests.add({ kind: 'group', groupId, change, ...(picture && { picture }) })
  }

  async function begin(groupIds: readonly string[]) {
    const found = await readDocuments(conversations, groupIds)
    const missing = groupIds.filter((id) => !found.has(id))
    if (missing.length === 0) return
    await changeConversations(conversations, missing, (conversation) => ({
      ...conversation,
      lastMessageAt: Math.max(conversation.lastMessageAt, now()),
    }))
  }

  return {
    isOn,
    get(groupId) {
      const shown = live.get(groupId) ?? createShown(groupId)
      live.set(groupId, shown)
      return shown
    },
    async create({ name, memberIds, description = '', picture }) {
      const groupId = createId()
      const userIds = [...new Set(memberIds)].filter((id) => id !== userId)
      if (name.trim() === '') throw new Error('A group needs a name.')
      const joinedAt = new Date(now()).toISOString()
      const change: GroupChange = { kind: 'create', name: name.trim(), description, userIds }
      // The request before the record: a crash in between leaves a group that is made, and comes.
      await requests.add({ kind: 'group', groupId, change })
      await known.take([
        {
          isGroup: true,
          _id: groupId,
          name: name.trim(),
          description,
          picture: null,
          members: [
            { userId, role: 'owner', joinedAt },
            ...userIds.map((id): KnownMember => ({ userId: id, role: 'member', joinedAt })),
          ],
          settings: { whoWrites: 'all', whoChanges: 'all', showsHistory: false },
          createdBy: userId,
          lastPlace: 0,
        },
      ])
      await begin([groupId])
      if (picture) await askForPicture(groupId, picture)
      return groupId
    },
    changePicture: askForPicture,
    async change(groupId, change) {
      const seenUpTo = known.get(groupId)?.lastPlace
      await requests.add({
        kind: 'group',
        groupId,
        change,
        ...(seenUpTo !== undefined && seenUpTo > 0 && { seenUpTo }),
      })
    },
    async takePulled(pulled) {
      const records = pulled.flatMap(({ groupId, isMember, record, part }): KnownGroup[] => {
        if (record) return [toKnownGroup(record)]
        const before = known.get(groupId)
        if (part) {
          const members = must(joinMembers(before, part), 'the record that a part follows on')
          return [toKnownGroup({ ...part, members })]
        }
        if (isMember || before?.hasLeft) return []
        return [{ ...(before ?? blankGroup(groupId)), hasLeft: true }]
      })
      await known.take(records)
      await begin(records.map(({ _id }) => _id))
    },
    async listMade() {
      // Read before the requests: each of these had one until it was made.
      const ids = known.list().flatMap(({ _id, hasLeft }) => (hasLeft ? [] : _id))
      if (ids.length === 0) return []
      const unborn = new Set(
        (await requests.list()).flatMap(({ request }) =>
          request.kind === 'group' && request.change.kind === 'create' ? request.groupId : [],
        ),
      )
      return ids.filter((id) => !unborn.has(id))
    },
    recordOf: (groupId) => known.get(groupId),
    isUnborn: waiting.isUnborn,
    onBorn(listener) {
      bornListeners.add(listener)
      return () => bornListeners.delete(listener)
    },
    close: waiting.close,
  }
}

const nothing: readonly GroupChange[] = []

/** What waits to be asked of the server about each group. */
function createWaitingChanges(
  entries: LiveValue<readonly RequestEntry[]>,
  { onBorn, onGivenUp }: { onBorn: () => void; onGivenUp: (groupId: string) => void },
): {
  of(groupId: string): readonly GroupChange[]
  isUnborn(groupId: string): boolean
  close(): void
} {
  let changes = new Map<string, readonly GroupChange[]>()
  let unborn = new Set<string>()
  /** Those that the server would not make, until their person tries again or lets them go. */
  let refused = new Set<string>()
  /** Pictures that wait, by their request, at addresses of this page. */
  let pictures = new Map<string, { url: string; change: GroupChange }>()

  function showPicture(picture: Blob) {
    const url = URL.createObjectURL(picture)
    return { url, change: { kind: 'picture', picture: url } as const }
  }

  function read() {
    const shown = pictures
    pictures = new Map()
    const before = { changes, unborn, refused }
    changes = new Map()
    unborn = new Set()
    refused = new Set()
    for (const { _id, request, state } of entries.getSnapshot()) {
      if (request.kind !== 'group') continue
      const { groupId, picture } = request
      let { change } = request
      if (picture && state === 'waiting') {
        const waitingPicture = shown.get(_id) ?? showPicture(picture)
        pictures.set(_id, waitingPicture)
        change = waitingPicture.change
      }
      // A group that was refused is not there either: what is written in it stays here.
      if (change.kind === 'create') {
        unborn.add(groupId)
        if (state === 'refused') refused.add(groupId)
      } else if (state === 'waiting') {
        changes.set(groupId, [...(changes.get(groupId) ?? []), change])
      }
    }
    for (const [groupId, list] of changes) {
      const same = before.changes.get(groupId)
      if (same && same.length === list.length && same.every((one, at) => one === list[at])) {
        changes.set(groupId, same)
      }
    }
    for (const [_id, { url }] of shown) if (!pictures.has(_id)) URL.revokeObjectURL(url)
    for (const id of before.refused) if (!unborn.has(id)) onGivenUp(id)
    if ([...before.unborn].some((id) => !unborn.has(id))) onBorn()
  }

  read()
  const unsubscribe = entries.subscribe(read)
  return {
    of: (groupId) => changes.get(groupId) ?? nothing,
    isUnborn: (groupId) => unborn.has(groupId),
    close() {
      unsubscribe()
      for (const { url } of pictures.values()) URL.revokeObjectURL(url)
    },
  }
}

function toKnownGroup(record: GroupAnswer): KnownGroup {
  const { _id, name, description, picture, members, settings, createdBy, lastPlace } = record
  const { membersAt } = record
  return {
    ...{ isGroup: true as const, _id, name, description, picture, members, settings, createdBy },
    lastPlace,
    ...(membersAt !== undefined && { membersAt }),
  }
}

/** One whose record this device never got: it has what was written there, and no name for it. */
function blankGroup(groupId: string): KnownGroup {
  return {
    isGroup: true,
    _id: groupId,
    name: '',
    description: '',
    picture: null,
    members: [],
    settings: { whoWrites: 'all', whoChanges: 'all', showsHistory: false },
    createdBy: groupId,
    lastPlace: 0,
  }
}

/**
 * The group as it will be if the server takes this change: whether it may is the server's to say
 * (`decideGroupChange`).
 */
function applyGroupChange(
  group: KnownGroup,
  change: GroupChange,
  by: { actorId: string; at: string },
): KnownGroup {
  const { members } = group
  const without = (userId: string) => members.filter((one) => one.userId !== userId)
  switch (change.kind) {
    case 'create':
      return group
    case 'rename':
      return { ...group, name: change.name.trim() }
    case 'describe':
      return { ...group, description: change.description }
    case 'picture':
      return { ...group, picture: change.picture }
    case 'settings':
      return { ...group, settings: { ...group.settings, ...change.settings } }
    case 'add': {
      const added = change.userIds.filter((id) => members.every(({ userId }) => userId !== id))
      const joined = added.map(
        (userId): KnownMember => ({ userId, role: 'member', joinedAt: by.at }),
      )
      return { ...group, members: [...members, ...joined] }
    }
    case 'remove':
      return { ...group, members: without(change.userId) }
    case 'role':
      return { ...group, members: members.map((one) => withRole(one, change, by.actorId)) }
    case 'leave':
      return { ...group, members: without(by.actorId), hasLeft: true }
  }
}

/** Who makes somebody else the owner is an admin from then on. */
function withRole(
  member: KnownMember,
  { userId, role }: Pick<GroupMember, 'userId' | 'role'>,
  actorId: string,
): KnownMember {
  if (member.userId === userId) return { ...member, role }
  return role === 'owner' && member.userId === actorId ? { ...member, role: 'admin' } : member
}
