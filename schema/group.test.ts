import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decideGroupChange,
  type GroupChange,
  type GroupDecision,
  type GroupDocument,
  type GroupInvite,
  type GroupLine,
  type GroupLineChange,
  groupDocument,
  mayReadPlace,
  nextGroupPlace,
  refuseGroupEditor,
  refuseGroupWriter,
} from './group.ts'
import { must } from './helpers/assertions.ts'
import { limits } from './limits.ts'

const idOf = (at: number) => `0190a000-0000-7000-8000-${String(at).padStart(12, '0')}`
const groupId = idOf(900)
const people = [1, 2, 3, 4].map(idOf)
const [ann, ben, cy, dan] = people as [string, string, string, string]
const stranger = idOf(9)

/** A group that takes each change as a server does: what is accepted is stored with its line. */
function createTestGroup(options: { canAdd?: (userId: string) => boolean } = {}) {
  const { canAdd = () => true } = options
  const state = { group: undefined as GroupDocument | undefined, now: 1_000, over: 0 }
  const lines: GroupLine[] = []
  const done = new Set<string>()

  function change(
    actorId: string,
    asked: GroupLineChange,
    { seenUpTo = state.group?.lastPlace ?? 0, id = '', code = 'a' } = {},
  ): GroupDecision {
    state.now += 1
    const decision = decideGroupChange({
      groupId,
      actorId,
      stored: state.group,
      change: asked,
      code,
      isDone: done.has(id),
      seenUpTo,
      canAdd,
      now: state.now,
    })
    if (decision.kind === 'accept') {
      lines.push(decision.line)
      state.group = decision.next
      if (id !== '') done.add(id)
    }
    return decision
  }

  return {
    change,
    lines,
    get: () => must(state.group, 'a group'),
    roleOf: (userId: string) => state.group?.members.find((one) => one.userId === userId)?.role,
    /** Somebody writes. @returns its place */
    write() {
      state.now += 1
      const place = nextGroupPlace(state.group, state.now)
      state.group = { ...must(state.group, 'a group'), lastPlace: place }
      return place
    },
    /** An admin makes a link, or withdraws it. */
    setInvite(invite: Partial<GroupInvite> | undefined) {
      const group = must(state.group, 'a group')
      const whole = { code: 'a', requiresApproval: false, uses: 0, place: group.lastPlace }
      const { invite: _, ...rest } = group
      state.group = { ...rest, ...(invite && { invite: { ...whole, ...invite } }) }
    },
    setClock(now: number) {
      state.now = now
    },
  }
}

/** Ann's group with Ben and Cy, Ben an admin. */
function openGroup(options = {}) {
  const group = createTestGroup(options)
  const create = { kind: 'create', name: ' Hikes ', description: '', userIds: [ben, cy, ann] }
  expect(group.change(ann, create as GroupChange).kind).toBe('accept')
  expect(group.change(ann, { kind: 'role', userId: ben, role: 'admin' }).kind).toBe('accept')
  return group
}

const codeOf = (decision: GroupDecision) =>
  decision.kind === 'refuse' ? decision.refusal.code : decision.kind

describe('what a group takes', () => {
  test('a group has its creator as owner, and each of the others once', () => {
    const group = openGroup()
    expect(group.get()).toMatchObject({ name: 'Hikes', createdBy: ann })
    expect(group.get().members.map(({ userId, role }) => [userId, role])).toEqual([
      [ann, 'owner'],
      [ben, 'admin'],
      [cy, 'member'],
    ])
    expect(groupDocument.safeParse(group.get()).success).toBe(true)
  })

  test('to anybody else it does not exist', () => {
    const group = openGroup()
    const asked: GroupChange[] = [
      { kind: 'rename', name: 'x' },
      { kind: 'add', userIds: [stranger] },
      { kind: 'leave' },
      { kind: 'create', name: 'x', description: '', userIds: [ben] },
    ]
    for (const change of asked) {
      expect(codeOf(group.change(stranger, change))).toBe('group_not_found')
    }
    const nothing = createTestGroup()
    expect(codeOf(nothing.change(ann, { kind: 'leave' }))).toBe('group_not_found')
    expect(refuseGroupWriter(undefined, ann)?.code).toBe('group_not_found')
  })

  test.each([
    [cy, { kind: 'add', userIds: [dan] }, 'admins_only'],
    [cy, { kind: 'remove', userId: ben }, 'admins_only'],
    [cy, { kind: 'role', userId: cy, role: 'admin' }, 'admins_only'],
    [cy, { kind: 'settings', settings: { showsHistory: true } }, 'admins_only'],
    [ben, { kind: 'remove', userId: ann }, 'owner_stays'],
    [ben, { kind: 'role', userId: ann, role: 'member' }, 'owner_stays'],
    [ben, { kind: 'role', userId: cy, role: 'owner' }, 'owner_only'],
    [ben, { kind: 'role', userId: dan, role: 'admin' }, 'not_in_group'],
    [ben, { kind: 'remove', userId: dan }, 'not_in_group'],
    [cy, { kind: 'rename', name: '  ' }, 'name_missing'],
    [cy, { kind: 'rename', name: 'x'.repeat(101) }, 'name_too_long'],
    [cy, { kind: 'describe', description: 'x'.repeat(2_049) }, 'description_too_long'],
    [ann, { kind: 'create', name: 'x', description: '', userIds: [ben] }, 'group_exists'],
    [cy, { kind: 'picture', picture: null }, 'keep'],
    [cy, { kind: 'picture', picture: '/api/media/a' }, 'accept'],
    [cy, { kind: 'rename', name: 'Hikes' }, 'keep'],
    [cy, { kind: 'describe', description: '' }, 'keep'],
    [ben, { kind: 'add', userIds: [cy] }, 'keep'],
    [ben, { kind: 'role', userId: ben, role: 'admin' }, 'keep'],
    [ben, { kind: 'settings', settings: { whoWrites: 'all' } }, 'keep'],
    [cy, { kind: 'rename', name: 'Walks' }, 'accept'],
    [cy, { kind: 'describe', description: 'Sundays' }, 'accept'],
  ] as const)('%s asks for %j: %s', (actorId, change, expected) => {
    const group = openGroup()
    const before = group.get()
    const decision = group.change(actorId, change as GroupChange)
    expect(codeOf(decision)).toBe(expected)
    if (expected !== 'accept') expect(group.get()).toBe(before)
    if (decision.kind === 'refuse') expect(decision.refusal.error).toMatch(/\.$/)
  })

  test('settings say who writes and who changes the name', () => {
    const group = openGroup()
    expect(refuseGroupWriter(group.get(), cy)).toBeUndefined()
    group.change(ben, { kind: 'settings', settings: { whoWrites: 'admins', whoChanges: 'admins' } })
    expect(refuseGroupWriter(group.get(), cy)?.code).toBe('admins_only')
    expect(refuseGroupWriter(group.get(), ben)).toBeUndefined()
    expect(codeOf(group.change(cy, { kind: 'rename', name: 'x' }))).toBe('admins_only')
    expect(codeOf(group.change(cy, { kind: 'describe', description: 'x' }))).toBe('admins_only')
    expect(codeOf(group.change(cy, { kind: 'picture', picture: null }))).toBe('admins_only')
    expect(refuseGroupEditor(group.get(), cy)?.code).toBe('admins_only')
    expect(refuseGroupEditor(group.get(), ben)).toBeUndefined()
    expect(refuseGroupEditor(group.get(), stranger)?.code).toBe('group_not_found')
    expect(codeOf(group.change(ben, { kind: 'rename', name: 'x' }))).toBe('accept')
  })

  test('it adds all or nobody, and no more than fit', () => {
    const group = openGroup({ canAdd: (userId: string) => userId !== stranger })
    expect(codeOf(group.change(ben, { kind: 'add', userIds: [dan, stranger] }))).toBe('cannot_add')
    expect(group.roleOf(dan)).toBeUndefined()
    const many = Array.from({ length: limits.groups.membersMax - 3 }, (_, at) => idOf(1_000 + at))
    expect(codeOf(group.change(ben, { kind: 'add', userIds: [...many, dan] }))).toBe('group_full')
    expect(codeOf(group.change(ben, { kind: 'add', userIds: many }))).toBe('accept')
    const all = { kind: 'create', name: 'x', description: '', userIds: [dan, ...many, ben, cy] }
    const another = createTestGroup().change(ann, all as GroupChange)
    expect(codeOf(another)).toBe('group_full')
    const foreign = { kind: 'create', name: 'x', description: '', userIds: [stranger] }
    const canAdd = () => false
    expect(codeOf(createTestGroup({ canAdd }).change(ann, foreign as GroupChange))).toBe(
      'cannot_add',
    )
  })
})

test('P12: who comes and goes is counted, so that the record is bounded, and everybody may still go', () => {
  const group = openGroup()
  group.setInvite({})
  const gone = group.get().former
  const { membershipsMax } = limits.groups
  // All but one of the memberships that there can be.
  const count = membershipsMax - group.get().members.length - gone.length - 1
  for (let at = 0; at < count; at += 1) gone.push({ userId: idOf(2_000 + at), from: 1, to: 2 })
  const two = [idOf(1_000), idOf(1_001)]
  expect(codeOf(group.change(ben, { kind: 'add', userIds: two }))).toBe('group_used_up')
  expect(codeOf(group.change(dan, { kind: 'join' }))).toBe('accept')
  expect(codeOf(group.change(ben, { kind: 'add', userIds: [idOf(1_000)] }))).toBe('group_used_up')
  expect(codeOf(group.change(idOf(1_001), { kind: 'join' }))).toBe('group_used_up')
  for (const userId of [dan, cy]) {
    expect(codeOf(group.change(ben, { kind: 'remove', userId }))).toBe('accept')
  }
  expect(codeOf(group.change(ben, { kind: 'leave' }))).toBe('accept')
  expect(group.get().former).toHaveLength(membershipsMax - 1)
  expect(codeOf(group.change(dan, { kind: 'join' }))).toBe('removed_before')
})

describe('a link', () => {
  const join = { kind: 'join' } as const

  test('lets in whoever has it, with a line, and is counted', () => {
    const group = openGroup()
    group.setInvite({})
    expect(group.change(dan, join)).toMatchObject({
      kind: 'accept',
      line: { actorId: dan, change: { kind: 'join' }, userIds: [dan] },
    })
    expect(group.roleOf(dan)).toBe('member')
    expect(group.get().invite?.uses).toBe(1)
    expect(codeOf(group.change(dan, join))).toBe('keep')
    expect(JSON.stringify(group.lines)).not.toContain('"a"')
  })

  test.each([
    [undefined, 'invite_revoked'],
    [{ code: 'b' }, 'invite_revoked'],
    [{ endsAt: 1_000 }, 'invite_over'],
    [{ usesMax: 2, uses: 2 }, 'invite_used_up'],
    [{ requiresApproval: true }, 'approval_needed'],
    [{ usesMax: 2, uses: 1, endsAt: 1_000_000 }, 'accept'],
  ])('of %j it says %s', (invite, expected) => {
    const group = openGroup()
    group.setInvite(invite)
    expect(codeOf(group.change(dan, join))).toBe(expected)
    expect(group.roleOf(dan)).toBe(expected === 'accept' ? 'member' : undefined)
  })

  test('who was removed does not come back by an older one, only by a newer; who left does', () => {
    const group = openGroup()
    group.setInvite({})
    group.change(ben, { kind: 'remove', userId: cy })
    expect(codeOf(group.change(cy, join))).toBe('removed_before')
    group.setInvite({})
    expect(codeOf(group.change(cy, join))).toBe('accept')
    group.change(cy, { kind: 'leave' })
    expect(codeOf(group.change(cy, join))).toBe('accept')
    group.change(ben, { kind: 'remove', userId: ben })
    expect(codeOf(group.change(ben, join))).toBe('accept')
  })

  test('nobody comes into a full group, nor into one that is over, nor who may not', () => {
    const group = openGroup({ canAdd: (userId: string) => userId !== stranger })
    group.setInvite({})
    expect(codeOf(group.change(stranger, join))).toBe('came_too_often')
    const many = Array.from({ length: limits.groups.membersMax - 3 }, (_, at) => idOf(1_000 + at))
    group.change(ben, { kind: 'add', userIds: many })
    expect(codeOf(group.change(dan, join))).toBe('group_full')
    const alone = openGroup()
    alone.setInvite({})
    for (const userId of [cy, ben, ann]) alone.change(userId, { kind: 'leave' })
    expect(codeOf(alone.change(dan, join))).toBe('invite_over')
    expect(codeOf(createTestGroup().change(dan, join))).toBe('invite_over')
  })
})

describe('order decides', () => {
  test('of two admins that remove each other the first to arrive wins, the second is told', () => {
    const group = openGroup()
    group.change(ann, { kind: 'role', userId: cy, role: 'admin' })
    const seenUpTo = group.get().lastPlace
    expect(codeOf(group.change(ben, { kind: 'remove', userId: cy }, { seenUpTo }))).toBe('accept')
    const second = group.change(cy, { kind: 'remove', userId: ben }, { seenUpTo })
    expect(codeOf(second)).toBe('group_not_found')
    expect(group.roleOf(ben)).toBe('admin')
  })

  test('nobody who was removed comes back by a late word, only by a later one', () => {
    const group = openGroup()
    const seenUpTo = group.get().lastPlace
    group.change(ann, { kind: 'remove', userId: cy })
    const add = { kind: 'add', userIds: [dan, cy] } as const
    expect(codeOf(group.change(ben, { ...add, userIds: [dan, cy] }, { seenUpTo }))).toBe(
      'changed_meanwhile',
    )
    expect([group.roleOf(cy), group.roleOf(dan)]).toEqual([undefined, undefined])
    expect(codeOf(group.change(ben, { ...add, userIds: [dan, cy] }))).toBe('accept')
  })

  test('a late word removes nobody who came back, and takes no newer role', () => {
    const group = openGroup()
    const seenUpTo = group.get().lastPlace
    group.change(ann, { kind: 'remove', userId: cy })
    expect(codeOf(group.change(ben, { kind: 'remove', userId: cy }, { seenUpTo }))).toBe('keep')
    group.change(ann, { kind: 'add', userIds: [cy] })
    expect(codeOf(group.change(ben, { kind: 'remove', userId: cy }, { seenUpTo }))).toBe(
      'changed_meanwhile',
    )
    const demote = { kind: 'role', userId: cy, role: 'admin' } as const
    expect(codeOf(group.change(ben, demote, { seenUpTo }))).toBe('changed_meanwhile')
    expect(group.roleOf(cy)).toBe('member')
  })

  test('P2: a change that arrives twice is one, whatever came between', () => {
    const group = openGroup()
    group.change(ann, { kind: 'remove', userId: cy }, { id: 'once' })
    group.change(ann, { kind: 'add', userIds: [cy] })
    const again = group.change(ann, { kind: 'remove', userId: cy }, { id: 'once' })
    expect(codeOf(again)).toBe('keep')
    expect(group.roleOf(cy)).toBe('member')
  })

  test('the owner’s heir is the longest-standing admin, else member; the last one ends the group', () => {
    const group = openGroup()
    const left = group.change(ann, { kind: 'leave' })
    expect(left).toMatchObject({ line: { heirId: ben, userIds: [ann] }, isOver: false })
    expect(group.roleOf(ben)).toBe('owner')
    group.change(ben, { kind: 'remove', userId: ben })
    expect(group.roleOf(cy)).toBe('owner')
    expect(group.change(cy, { kind: 'leave' })).toMatchObject({ isOver: true })
    expect(group.lines.at(-1)?.heirId).toBeUndefined()
  })

  test('who hands a group over is an admin from then on', () => {
    const group = openGroup()
    group.change(ann, { kind: 'role', userId: cy, role: 'owner' })
    expect([ann, ben, cy].map(group.roleOf)).toEqual(['admin', 'admin', 'owner'])
  })
})

describe('windows', () => {
  test('newcomers read from the line that brought them on, or all where the group shows it', () => {
    const group = openGroup()
    const early = group.write()
    group.change(ben, { kind: 'add', userIds: [dan] })
    const line = must(group.lines.at(-1), 'a line').place
    const late = group.write()
    const read = (userId: string) =>
      [early, line, late].map((place) => mayReadPlace(group.get(), userId, place))
    expect(read(dan)).toEqual([false, true, true])
    expect(read(cy)).toEqual([true, true, true])
    expect(read(stranger)).toEqual([false, false, false])
    group.change(ben, { kind: 'settings', settings: { showsHistory: true } })
    group.change(ben, { kind: 'add', userIds: [stranger] })
    expect(read(stranger)).toEqual([true, true, true])
  })

  test('who went reads what was there until then, the line that says so, and nothing after', () => {
    const group = openGroup()
    const early = group.write()
    group.change(ben, { kind: 'remove', userId: cy })
    const line = must(group.lines.at(-1), 'a line').place
    const late = group.write()
    group.change(ben, { kind: 'add', userIds: [cy] })
    const again = group.write()
    const read = [early, line, late, again].map((place) => mayReadPlace(group.get(), cy, place))
    expect(read).toEqual([true, true, false, true])
  })
})

const person = fc.constantFrom(...people)
const anyChange: fc.Arbitrary<GroupLineChange> = fc.oneof(
  fc.constant({ kind: 'join' as const }),
  fc.record({ kind: fc.constant('rename' as const), name: fc.constantFrom('', 'a', 'b') }),
  fc.record({
    kind: fc.constant('settings' as const),
    settings: fc.record({ showsHistory: fc.boolean() }),
  }),
  fc.record({
    kind: fc.constant('add' as const),
    userIds: fc.array(person, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('remove' as const), userId: person }),
  fc.record({
    kind: fc.constant('role' as const),
    userId: person,
    role: fc.constantFrom('owner' as const, 'admin' as const, 'member' as const),
  }),
  fc.record({ kind: fc.constant('leave' as const) }),
)

test('in any history there is one owner, each change has its line, and windows are exact', () => {
  const step = fc.record({
    actorId: person,
    change: fc.option(anyChange),
    lag: fc.integer({ min: 0, max: 30 }),
    invite: fc.constantFrom('same', 'same', 'same', 'new', 'none'),
    setBack: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const group = openGroup()
      /** Who was a member when each place was given, kept apart from the rule's own windows. */
      const present = new Map<number, { in: Set<string> }>()
      const removedAt = new Map<string, number>()
      const membersNow = () => new Set(group.get().members.map(({ userId }) => userId))
      for (const { actorId, change, lag, setBack, invite } of steps) {
        if (setBack) group.setClock(0)
        if (invite !== 'same') group.setInvite(invite === 'new' ? {} : undefined)
        const before = group.get()
        const inBefore = membersNow()
        if (!change) {
          if (before.members.length > 0) {
            const place = group.write()
            expect(place).toBeGreaterThan(before.lastPlace)
            present.set(place, { in: membersNow() })
          }
          continue
        }
        const count = group.lines.length
        const seenUpTo = before.lastPlace - lag
        const decision = group.change(actorId, change, { seenUpTo })
        const isAccepted = decision.kind === 'accept'
        expect(group.lines.length - count).toBe(Number(isAccepted))
        if (!isAccepted) {
          expect(group.get()).toBe(before)
          continue
        }
        expect(inBefore.has(actorId)).toBe(change.kind !== 'join')
        if (change.kind === 'join') {
          expect(removedAt.get(actorId) ?? 0).toBeLessThanOrEqual(before.invite?.place ?? -1)
        }
        if (change.kind === 'remove' && change.userId !== actorId) {
          removedAt.set(change.userId, decision.line.place)
        }
        expect(decision.line.place).toBeGreaterThan(before.lastPlace)
        const after = group.get()
        expect(groupDocument.safeParse(after).success).toBe(true)
        const owners = after.members.filter(({ role }) => role === 'owner')
        expect(owners.length).toBe(after.members.length === 0 ? 0 : 1)
        expect(new Set(after.members.map(({ userId }) => userId)).size).toBe(after.members.length)
        // Who went by this line reads it, and so does who came by it.
        const seenBy = new Set([...inBefore, ...membersNow()])
        present.set(decision.line.place, { in: seenBy })
        const newcomers = [...membersNow()].filter((userId) => !inBefore.has(userId))
        if (before.settings.showsHistory) {
          for (const seen of present.values()) for (const userId of newcomers) seen.in.add(userId)
        }
      }
      for (const [place, seen] of present) {
        for (const userId of people) {
          expect(mayReadPlace(group.get(), userId, place)).toBe(seen.in.has(userId))
        }
      }
    }),
    { numRuns: 500 },
  )
})
