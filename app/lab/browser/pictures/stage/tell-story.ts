import { randomUUID } from 'node:crypto'
import { must } from '../../../../../schema/helpers/assertions.ts'
import { openTestSocket } from '../../../../../sync-server/testing/open-test-socket.ts'
import { waitUntil } from '../../wait-until.ts'
import type { StoryServer } from './start-story-server.ts'
import { cast, type Line, lineToNobody, type Role, storyLines, storyNow } from './story.ts'
import { createStoryPerson, type StoryPerson } from './story-person.ts'

export type People = Record<Role, StoryPerson>

/**
 * Plays the whole story on the server, each line at its time. The server's clock ends at
 * `storyNow`.
 */
export async function tellStory(server: StoryServer): Promise<People> {
  await server.setClock(Date.UTC(2026, 4, 20, 8, 30))
  const roles = Object.entries(cast) as [Role, (typeof cast)[Role]][]
  const entries: [Role, StoryPerson][] = []
  for (const [role, who] of roles) {
    entries.push([role, await createStoryPerson(server.origin, who)])
  }
  const people = Object.fromEntries(entries) as People
  const sent = new Map<string, string>()
  for (const line of storyLines.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    await server.setClock(timeOf(line))
    await tellLine(line, { people, sent })
  }
  const { ann, jonas, club, ben, harbour } = people
  await jonas.api.own.deleteAccount({ password: jonas.password })
  await ann.api.conversations.setArchived(club.userId, true)
  await ann.api.conversations.setPinned(ben.userId, true)
  await ann.api.conversations.setMuted(harbour.userId, true)
  await writeToNobody(server, people)
  await showUp(server, ben)
  await server.setClock(storyNow)
  return people
}

async function tellLine(line: Line, told: { people: People; sent: Map<string, string> }) {
  const { people, sent } = told
  const [author, reader] = [people[line.from], people[line.to]]
  const answered = [...sent].find(([text]) => line.answers && text.startsWith(line.answers))
  const { _id } = await author.api.messages.send({
    recipientId: reader.userId,
    content: line.text,
    ...(answered && { replyToMessageId: answered[1] }),
  })
  sent.set(line.text, _id)
  if (line.isStarred) await people.ann.api.messages.setStarred(_id, true)
  if (line.isUnread) await reader.api.messages.setStatus(_id, 'delivered')
  else await reader.api.conversations.markRead(author.userId)
}

/** As a device that has not heard yet writes it: the server returns it with its reason (P6). */
async function writeToNobody(server: StoryServer, { ann, jonas }: People) {
  const writtenAt = Date.UTC(2026, 5, 13, 16, 20)
  const document = {
    _id: randomUUID(),
    peerId: jonas.userId,
    recipientId: jonas.userId,
    senderId: ann.userId,
    content: lineToNobody,
    status: 'sending',
    attempt: 1,
    createdAt: writtenAt,
    orderedAt: writtenAt,
  }
  const response = await fetch(`${server.origin}/sync/messages/_bulk_docs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ann.token}` },
    body: JSON.stringify({ docs: [document] }),
  })
  must(response.ok || undefined, 'an answer to the message to nobody')
}

/** A person who was present gets a last-seen time. */
async function showUp(server: StoryServer, { api, token, userId }: StoryPerson) {
  await server.setClock(storyNow - 6 * 60_000)
  const device = await openTestSocket({ url: server.origin, token })
  device.socket.close()
  await waitUntil('he is seen', async () => {
    const { isOnline, lastSeen } = await api.users.getActivity(userId)
    return !isOnline && lastSeen !== null
  })
}

function timeOf({ at: [day, hour, minute] }: Line): number {
  return Date.UTC(2026, 5, day, hour, minute)
}
