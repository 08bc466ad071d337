import type { GroupMessageDocument } from '../../../schema/api/groups.ts'
import type { GroupSettings } from '../../../schema/group.ts'
import { unreachable } from '../../../schema/helpers/assertions.ts'

type StoredLine = NonNullable<GroupMessageDocument['line']>

interface Readers {
  ownId: string
  nameOf(userId: string): string
}

/** Of more people than this, the rest are counted. */
const namedMost = 3

/** What became of a group, as one sentence for the person with this id: 'Ann added you and Ben'. */
export function describeLine(said: { senderId: string; line: StoredLine }, to: Readers): string {
  const { senderId, line } = said
  const who = nameFirst(senderId, to)
  const heir =
    line.heirId === undefined
      ? ''
      : `. ${nameFirst(line.heirId, to)} ${line.heirId === to.ownId ? 'own' : 'owns'} the group now`
  return `${who} ${describeDeed(said, to)}${heir}`
}

/** Whose names its words need. */
export function listNamedInLine(said: { senderId: string; line: StoredLine }): string[] {
  const { userIds, heirId } = said.line
  return [said.senderId, ...userIds, ...(heirId === undefined ? [] : [heirId])]
}

function describeDeed(said: { senderId: string; line: StoredLine }, to: Readers): string {
  const { change, userIds } = said.line
  switch (change.kind) {
    case 'create':
      return `created the group “${change.name.trim()}”`
    case 'rename':
      return `changed the name to “${change.name.trim()}”`
    case 'describe':
      return change.description === '' ? 'removed the description' : 'changed the description'
    case 'picture':
      return change.picture === null ? 'removed the group’s picture' : 'changed the group’s picture'
    case 'settings':
      return describeSettings(change.settings)
    case 'add':
      return `added ${joinPeople(userIds, to)}`
    case 'join':
      return 'joined by the link'
    case 'remove':
      return change.userId === said.senderId ? 'left' : `removed ${joinPeople([change.userId], to)}`
    case 'role':
      return `made ${joinPeople([change.userId], to)} ${roleWords[change.role]}`
    case 'leave':
      return 'left'
    default:
      return unreachable(change)
  }
}

const roleWords = { owner: 'the owner', admin: 'an admin', member: 'a member' } as const

function describeSettings({ whoWrites, whoChanges, showsHistory }: Partial<GroupSettings>): string {
  const parts = [
    whoWrites &&
      (whoWrites === 'admins'
        ? 'let only admins send messages'
        : 'let everyone in the group send messages'),
    whoChanges &&
      (whoChanges === 'admins'
        ? 'let only admins change the name, the picture and the description'
        : 'let everyone in the group change the name, the picture and the description'),
    showsHistory !== undefined &&
      (showsHistory
        ? 'let new members see earlier messages'
        : 'hid earlier messages from new members'),
  ]
  return parts.filter(Boolean).join(' and ') || 'changed the settings'
}

function nameFirst(userId: string, { ownId, nameOf }: Readers): string {
  return userId === ownId ? 'You' : nameOf(userId)
}

/** 'you and Ben'; of many the first, and how many others. */
function joinPeople(userIds: readonly string[], { ownId, nameOf }: Readers): string {
  const others = userIds.filter((userId) => userId !== ownId)
  const names = [...(others.length < userIds.length ? ['you'] : []), ...others.map(nameOf)]
  const shown = names.length > namedMost ? names.slice(0, namedMost - 1) : names
  const rest = names.length - shown.length
  const all = rest > 0 ? [...shown, `${rest} others`] : shown
  const last = all.at(-1) ?? ''
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${last}` : last
}
