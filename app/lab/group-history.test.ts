import { expect, test } from 'vitest'
import { lineOf } from '../../schema/api/groups.ts'
import type { GroupChange } from '../../schema/group.ts'
import { must } from '../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { createLab } from './create-lab.ts'
import type { LabDevice } from './device/lab-device-types.ts'
import type { LabPerson } from './device/lab-person.ts'
import { drawHistory } from './kit/draw-history.ts'
import type { Lab } from './lab.ts'
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
type Name = keyof typeof weights

interface World {
  lab: Lab
  groupIds: string[]
  /** By its id, what a device was told is stored, and on which. */
  said: Map<string, { device: LabDevice; groupId: string; content: string }>
}

const choose = <T>(all: readonly T[], pick: number): T =>
  must(all[pick % all.length], 'one to choose')

async function act(
  { lab, groupIds, said }: World,
  step: { do: Name; device: number; pick: number },
) {
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
      const content = `message ${at}-${pick}`
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
      return await change({ kind: 'remove', userId: person.userId })
    case 'role': {
      const role = choose(['owner', 'admin', 'member'] as const, Math.floor(pick / 3))
      return await change({ kind: 'role', userId: person.userId, role })
    }
    case 'leave':
      return await change({ kind: 'leave' })
    case 'rename':
      return await change({ kind: 'rename', name: `Name ${pick}` })
    case 'writers':
      return await change({
        kind: 'settings',
        settings: { whoWrites: pick % 2 === 0 ? 'all' : 'admins' },
      })
    default:
      return await takeStep(lab, { do: name, device: at, pick })
  }
}

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

/** What each person may read of a group by its lines: from where they came to where they went. */
function mayRead(lines: readonly MessageDocument[], userId: string, place: number): boolean {
  let isIn = false
  for (const message of lines) {
    const { change, userIds } = must(lineOf(message), 'a line')
    const isAbout = userIds.includes(userId)
    const comes =
      (change.kind === 'create' && (isAbout || message.senderId === userId)) ||
      (change.kind === 'add' && isAbout)
    const goes = (change.kind === 'remove' || change.kind === 'leave') && isAbout
    if (message.orderedAt > place) break
    if (comes) isIn = true
    // The line that says so is the last that they read.
    if (goes) isIn = message.orderedAt === place
  }
  return isIn
}

async function findBroken({ lab, groupIds, said }: World): Promise<string[]> {
  const broken: string[] = []
  for (const groupId of groupIds) {
    const all = new Map<string, MessageDocument>()
    const held = new Map<LabPerson, MessageDocument[]>()
    for (const person of lab.people) {
      const own = [...(await person.server.messages()).values()]
      const ofGroup = own.filter(({ peerId }) => peerId === groupId)
      held.set(person, ofGroup)
      for (const message of ofGroup) all.set(message._id, message)
    }
    const ordered = [...all.values()].sort((a, b) => a.orderedAt - b.orderedAt)
    const places = ordered.map(({ orderedAt }) => orderedAt)
    if (new Set(places).size < places.length) broken.push(`${groupId} has a place twice`)
    const lines = ordered.filter((message) => lineOf(message))
    for (const person of lab.people) {
      const may = ordered.filter(({ orderedAt }) => mayRead(lines, person.userId, orderedAt))
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
        const byLines = [...told].map(([id, role]) => `${id} ${role}`).toSorted()
        if (JSON.stringify(members) !== JSON.stringify(byLines)) {
          broken.push(`P14: ${groupId} has ${members.join()}, by its lines ${byLines.join()}`)
        }
      }
      for (const device of person.devices) {
        const known = device.messenger.groups.get(groupId).getSnapshot()
        if (has.length > 0 && known?.hasLeft !== (isMember ? undefined : true)) {
          broken.push(
            `P14: ${device.name} believes it ${known?.hasLeft ? 'left' : 'is in'} ${groupId}`,
          )
        }
        const locked = (await device.read({ userId: groupId })).filter((one) => 'locked' in one)
        if (locked.length > 0) broken.push(`P13: ${device.name} cannot read ${locked.length} there`)
      }
    }
  }
  for (const [id, { device, groupId, content }] of said) {
    const message = (await device.stored()).messages.get(id)
    const isKept = message?.deletedAt !== undefined || message?.content.startsWith(content)
    if (!isKept)
      broken.push(`P1: ${id} in ${groupId} is not on ${device.name}: ${JSON.stringify(message)}`)
  }
  return broken
}

async function run(seed: number, steps: number): Promise<string[]> {
  const lab = await createLab({ seed, settings: { GROUPS: 'on' } })
  try {
    const hasKeys = seed % 2 === 0
    for (const name of ['ann', 'ben', 'cem']) {
      const person = await lab.person(name, { hasKeys })
      await person.device()
      if (name === 'ann') await person.device()
    }
    await lab.settle()
    const world: World = { lab, groupIds: [], said: new Map() }
    const [first, ...others] = lab.people
    const device = must(first?.devices[0], 'a device')
    const memberIds = others.map(({ userId }) => userId)
    world.groupIds.push(await device.messenger.groups.create({ name: 'Walks', memberIds }))
    await lab.settle()
    for (const step of drawHistory({ seed, steps, weights })) await act(world, step)
    await lab.server.start()
    for (const one of lab.people.flatMap(({ devices }) => devices)) one.network.calm()
    await lab.settle({ areFaultsOver: true })
    return await findBroken(world)
  } finally {
    await lab.close()
  }
}

test.for([1, 2, 906_568_898])(
  'P14: whatever happens in groups (seed %i), all read the same in one order, each in their time',
  { timeout: 400_000 },
  async (seed) => expect(await run(seed, 50)).toEqual([]),
)
