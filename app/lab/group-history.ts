import { lineOf } from '../../schema/api/groups.ts'
import type { GroupChange } from '../../schema/group.ts'
import { must } from '../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { LabDevice } from './device/lab-device-types.ts'
import type { LabPerson } from './device/lab-person.ts'
import { drawHistory, type Step } from './kit/draw-history.ts'
import { createTrace, type Trace, type TraceRecorder } from './kit/trace.ts'
import type { Lab, LabOptions } from './lab.ts'
import { recordLook, shrinkFailure } from './run-history.ts'
import { takeStep } from './take-step.ts'

const weights = {
  say: 30,
  edit: 4,
  delete: 3,
  react: 4,
  add: 6,
  remove: 5,
  role: 4,
  leave: 1,
  rename: 3,
  writers: 1,
  create: 1,
  offline: 5,
  online: 9,
  lose: 4,
  delay: 3,
  duplicate: 2,
  reorder: 2,
  reload: 3,
  pause: 12,
  kill: 2,
  'kill-at-write': 3,
  start: 8,
} as const
/** What came later: drawn from these seeds on, so that those before stay the histories they are. */
const laterWeights = { ...weights, picture: 3, history: 3, star: 4 } as const
const firstOfLater = 900_000_000
export type GroupStep = Step<keyof typeof laterWeights>

interface World {
  lab: Lab
  groupIds: string[]
  /** The groups that somebody asked to leave, or to be removed from: only these can be over. */
  left: Set<string>
  /** By its id, what a device was told is stored, and on which. */
  said: Map<string, { device: LabDevice; groupId: string; content: string }>
}

const choose = <T>(all: readonly T[], pick: number): T =>
  must(all[pick % all.length], 'one to choose')

async function act({ lab, groupIds, said, left }: World, step: GroupStep) {
  const { do: name, device: at, pick } = step
  const device = choose(
    lab.people.flatMap(({ devices }) => devices),
    at,
  )
  const { groups, commands } = device.messenger
  const groupId = choose(groupIds, Math.floor(pick / 7))
  const person = choose(lab.people, pick)
  const change = async (one: Exclude<GroupChange, { kind: 'create' }>) => {
    if (groups.get(groupId).getSnapshot()) await groups.change(groupId, one)
  }
  switch (name) {
    case 'say': {
      if (!groups.get(groupId).getSnapshot()) return
      // Also of those who are not in the group, or are out of it when this arrives.
      const named = pick % 3 === 0 ? ` @${person.name}` : ''
      const content = `message ${at}-${pick}${named}`
      const id = await commands.sendMessage({ peerId: groupId, content })
      return void said.set(id, { device, groupId, content })
    }
    case 'edit':
    case 'delete':
    case 'react': {
      const messages = await device.read({ userId: groupId })
      const own = messages.filter((message) => !lineOf(message))
      if (own.length === 0) return
      const { _id, content } = choose(own, Math.floor(pick / 3))
      // Nobody edits what they cannot read yet.
      if (name === 'edit' && content === '') return
      if (name === 'edit') return await commands.editMessage(_id, `${content}, edited`)
      if (name === 'delete') return await commands.deleteMessage(_id)
      return await commands.setReaction(_id, '👍')
    }
    case 'create': {
      const memberIds = lab.people.map(({ userId }) => userId).filter((_, n) => (pick >> n) % 2)
      return void groupIds.push(await groups.create({ name: `Group ${pick}`, memberIds }))
    }
    case 'add':
      return await change({ kind: 'add', userIds: [person.userId] })
    case 'remove':
      if (person.userId === device.userId) left.add(groupId)
      return await change({ kind: 'remove', userId: person.userId })
    case 'role': {
      const role = choose(['owner', 'admin', 'member'] as const, Math.floor(pick / 3))
      return await change({ kind: 'role', userId: person.userId, role })
    }
    case 'leave':
      left.add(groupId)
      return await change({ kind: 'leave' })
    case 'rename':
      return await change({ kind: 'rename', name: `Name ${pick}` })
    case 'picture': {
      if (!groups.get(groupId).getSnapshot()) return
      const picture = pick % 4 === 0 ? null : pictureOf(`picture ${pick}`)
      return await groups.changePicture(groupId, picture)
    }
    case 'history':
      return await change({ kind: 'settings', settings: { showsHistory: pick % 3 > 0 } })
    case 'star': {
      const messages = await device.read({ userId: groupId })
      const own = messages.filter((message) => !lineOf(message))
      if (own.length === 0) return
      return await commands.setStarred(choose(own, Math.floor(pick / 3))._id, pick % 4 > 0)
    }
    case 'writers':
      return await change({
        kind: 'settings',
        settings: { whoWrites: pick % 2 === 0 ? 'all' : 'admins' },
      })
    default:
      return await takeStep(lab, { do: name, device: at, pick })
  }
}

/** Its first bytes say that it is one. */
const pictureOf = (words: string) =>
  new Blob([Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]), words], { type: 'image/jpeg' })

/** Who is in the group after these lines, as they tell it. */
function replay(lines: readonly MessageDocument[]): Map<string, string> | undefined {
  const members = new Map<string, string>()
  for (const message of lines) {
    const { change, userIds, heirId } = must(lineOf(message), 'a line')
    switch (change.kind) {
      case 'create':
        members.set(message.senderId, 'owner')
        for (const id of userIds) members.set(id, 'member')
        break
      case 'add':
        for (const id of userIds) members.set(id, 'member')
        break
      case 'remove':
      case 'leave':
        for (const id of userIds) members.delete(id)
        break
      case 'role':
        members.set(change.userId, change.role)
        if (change.role === 'owner') members.set(message.senderId, 'admin')
        break
      default:
    }
    if (heirId !== undefined) members.set(heirId, 'owner')
  }
  const begins = lines[0] && lineOf(lines[0])?.change.kind === 'create'
  return begins ? members : undefined
}

interface Window {
  from: number
  /** The line that says that they go is the last that they read. */
  upTo: number
}

/** What a person may read of a group by its lines: from where they came, or its beginning, to where they went. */
function listWindows(lines: readonly MessageDocument[], userId: string): Window[] {
  const windows: Window[] = []
  let showsHistory = false
  let isIn = false
  for (const message of lines) {
    const { change, userIds } = must(lineOf(message), 'a line')
    const { orderedAt, senderId } = message
    if (change.kind === 'settings') showsHistory = change.settings.showsHistory ?? showsHistory
    const isAbout = userIds.includes(userId)
    const comes =
      (change.kind === 'create' && (isAbout || senderId === userId)) ||
      (change.kind === 'add' && isAbout)
    const goes = (change.kind === 'remove' || change.kind === 'leave') && isAbout
    if (comes && !isIn) {
      windows.push({ from: showsHistory ? 0 : orderedAt, upTo: Number.POSITIVE_INFINITY })
    }
    const last = windows.at(-1)
    if (goes && isIn && last) last.upTo = orderedAt
    isIn = comes || (isIn && !goes)
  }
  return windows
}

/** What a person's devices show differently of a message that both have. */
function findUnlike(devices: readonly { name: string; messages: readonly MessageDocument[] }[]) {
  const [first, ...others] = devices
  return others.flatMap(({ name, messages }) =>
    messages.flatMap((message) => {
      const same = first?.messages.find(({ _id }) => _id === message._id)
      const isAlike = !same || same.isStarred === message.isStarred
      return isAlike ? [] : [`P5: ${name} stars ${message._id} otherwise than ${first?.name}`]
    }),
  )
}

/** Devices that are still to be told whether their person is in a group: nothing of it lies anywhere else. */
async function findUntold({ lab, groupIds }: World): Promise<string[]> {
  const untold: string[] = []
  for (const person of lab.people) {
    const groups = await person.server.groups()
    for (const { name, messenger } of person.devices) {
      for (const groupId of groupIds) {
        const known = messenger.groups.get(groupId).getSnapshot()
        const isMember = groups.get(groupId) !== undefined
        if (known && (known.hasLeft !== true) !== isMember) {
          untold.push(`${name} believes it ${known.hasLeft ? 'left' : 'is in'} ${groupId}`)
        }
      }
    }
  }
  return untold
}

async function findBroken({ lab, groupIds, left, said }: World): Promise<string[]> {
  const broken: string[] = []
  for (const groupId of groupIds) {
    const all = new Map<string, MessageDocument>()
    const held = new Map<LabPerson, MessageDocument[]>()
    for (const person of lab.people) {
      const own = [...(await person.server.messages()).values()]
      const ofGroup = own.filter(({ peerId }) => peerId === groupId)
      held.set(person, ofGroup)
      for (const message of ofGroup) all.set(message._id, message)
      const told = ofGroup.filter(({ refused }) => refused !== undefined)
      for (const { _id } of told) broken.push(`P8: all may read what was refused of ${_id}`)
    }
    const isOver = all.size === 0
    if (isOver && !left.has(groupId)) broken.push(`P14: ${groupId} is over, and nobody left it`)
    const ordered = [...all.values()].sort((a, b) => a.orderedAt - b.orderedAt)
    const places = ordered.map(({ orderedAt }) => orderedAt)
    if (new Set(places).size < places.length) broken.push(`${groupId} has a place twice`)
    const lines = ordered.filter((message) => lineOf(message))
    for (const person of lab.people) {
      const windows = listWindows(lines, person.userId)
      const may = ordered.filter(({ orderedAt }) =>
        windows.some(({ from, upTo }) => from <= orderedAt && orderedAt <= upTo),
      )
      const has = must(held.get(person), 'what they read')
      const [wanted, given] = [may, has].map((list) => list.map(({ _id }) => _id).toSorted())
      if (JSON.stringify(wanted) !== JSON.stringify(given)) {
        broken.push(
          `P14: ${person.name} may read ${wanted?.length} of ${groupId}, has ${given?.length}`,
        )
      }
      const record = (await person.server.groups()).get(groupId)
      const told = replay(lines)
      const isMember = told?.has(person.userId) ?? false
      if (isMember !== (record !== undefined)) {
        broken.push(
          `P14: ${person.name} is ${isMember ? '' : 'not '}in ${groupId} by its lines alone`,
        )
      }
      if (record && told) {
        const members = record.members.map(({ userId, role }) => `${userId} ${role}`).toSorted()
        if (record.picture && !(await person.server.hasFile(record.picture))) {
          broken.push(`P14: ${person.name} cannot see the picture of ${groupId}`)
        }
        const byLines = [...told].map(([id, role]) => `${id} ${role}`).toSorted()
        if (JSON.stringify(members) !== JSON.stringify(byLines)) {
          broken.push(`P14: ${groupId} has ${members.join()}, by its lines ${byLines.join()}`)
        }
      }
      const shown = []
      for (const device of person.devices) {
        const known = device.messenger.groups.get(groupId).getSnapshot()
        const isKnown = isOver ? known !== undefined : has.length > 0
        if (isKnown && known?.hasLeft !== (isMember ? undefined : true)) {
          broken.push(
            `P14: ${device.name} believes it ${known?.hasLeft ? 'left' : 'is in'} ${groupId}`,
          )
        }
        if (record && known && known.picture !== record.picture) {
          broken.push(`P14: ${device.name} shows another picture of ${groupId}`)
        }
        const messages = await device.read({ userId: groupId })
        shown.push({ name: device.name, messages })
        const locked = messages.filter((one) => 'locked' in one)
        if (locked.length > 0) broken.push(`P13: ${device.name} cannot read ${locked.length} there`)
      }
      broken.push(...findUnlike(shown))
    }
  }
  for (const [id, { device, groupId, content }] of said) {
    const message = (await device.stored()).messages.get(id)
    broken.push(...(await findMentionsLost(lab, message)))
    const isKept = message?.deletedAt !== undefined || message?.content.startsWith(content)
    if (!isKept)
      broken.push(`P1: ${id} in ${groupId} is not on ${device.name}: ${JSON.stringify(message)}`)
    if (message?.status === 'sending' && message.deletedAt === undefined)
      broken.push(`P11: ${id} in ${groupId} waits on ${device.name}: ${JSON.stringify(message)}`)
  }
  return broken
}

/** Who is mentioned is so for all who read the words. */
async function findMentionsLost(lab: Lab, message: MessageDocument | undefined): Promise<string[]> {
  if (!message || message.status === 'failed' || message.deletedAt !== undefined) return []
  const lost: string[] = []
  for (const device of lab.people.flatMap(({ devices }) => devices)) {
    const read = (await device.stored()).messages.get(message._id)
    if (!read || read.content !== message.content) continue
    if (JSON.stringify(read.mentions) === JSON.stringify(message.mentions)) continue
    lost.push(`P5: ${device.name} has other mentions in ${message._id}`)
  }
  return lost
}

export interface GroupHistoryOptions {
  seed: number
  /** How many steps to draw. */
  steps: number
  createLab: (options: LabOptions) => Promise<Lab>
  /** Runs these instead of drawing some. */
  replay?: readonly GroupStep[] | undefined
  /** How many shorter histories to try after a failure. */
  shrinkTries?: number
  /** Gets what happened in each history that ran, with its failure. */
  onTrace?: (told: { trace: Trace; steps: readonly GroupStep[]; failure: unknown }) => void
}

/** Of the four devices that each of these labs has. */
const deviceNames = ['ann-1', 'ann-2', 'ben-1', 'cem-1']

/**
 * Three people on four devices change groups and write in them, while servers die and networks fail:
 * afterwards all read the same in one order, each in their time (P14).
 *
 * @throws HistoryFailed with the seed, the remaining steps, and the broken promises
 */
export async function runGroupHistory(options: GroupHistoryOptions): Promise<void> {
  const { seed, steps, shrinkTries = 0 } = options
  const drawn = seed < firstOfLater ? weights : laterWeights
  const history = options.replay ?? drawHistory({ seed, steps, weights: drawn })
  const failure = await tryHistory(options, history)
  if (failure) {
    throw await shrinkFailure({
      seed,
      history,
      failure,
      tries: shrinkTries,
      tryHistory: (shorter) => tryHistory(options, shorter),
    })
  }
}

async function tryHistory(
  options: GroupHistoryOptions,
  history: readonly GroupStep[],
): Promise<unknown> {
  const trace = options.onTrace && createTrace(deviceNames)
  const failure = await runSteps(options, { history, trace })
  if (trace) options.onTrace?.({ trace: trace.read(), steps: history, failure })
  return failure
}

/** @returns what is broken */
async function runSteps(
  { seed, createLab }: GroupHistoryOptions,
  { history, trace }: { history: readonly GroupStep[]; trace: TraceRecorder | undefined },
): Promise<unknown> {
  const lab = await createLab({ seed, trace, settings: { GROUPS: 'on' } })
  try {
    const hasKeys = seed % 2 === 0
    for (const name of ['ann', 'ben', 'cem']) {
      const person = await lab.person(name, { hasKeys })
      await person.device()
      if (name === 'ann') await person.device()
    }
    await lab.settle()
    const world: World = { lab, groupIds: [], left: new Set(), said: new Map() }
    const [first, ...others] = lab.people
    const device = must(first?.devices[0], 'a device')
    const memberIds = others.map(({ userId }) => userId)
    world.groupIds.push(await device.messenger.groups.create({ name: 'Walks', memberIds }))
    await lab.settle()
    for (const [index, step] of history.entries()) {
      trace?.recordStep(index, deviceNames[step.device % deviceNames.length], step.do)
      await act(world, step)
      if (trace) await recordLook(trace, index, lab)
    }
    trace?.recordStep(-1, undefined, 'all faults end')
    await lab.server.start()
    for (const one of lab.people.flatMap(({ devices }) => devices)) one.network.calm()
    await lab.settle({ areFaultsOver: true, findMore: () => findUntold(world) })
    if (trace) await recordLook(trace, history.length, lab)
    const broken = await findBroken(world)
    return broken.length > 0 ? new Error(broken.join('\n')) : undefined
  } catch (failure) {
    return failure
  } finally {
    await lab.close()
  }
}
