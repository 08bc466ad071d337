import { expect, onTestFinished, test } from 'vitest'
import { react } from '../../../schema/reaction.ts'
import { changeMessage } from '../commands/change-message.ts'
import { sendMessage } from '../commands/send-message.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { type ReactionNews, watchReactions } from './watch-reactions.ts'

test('it tells of each reaction of the other person to an own message, once', async () => {
  const { context, database } = await openTestDatabase()
  onTestFinished(async () => void (await database.close()))
  const id = await sendMessage(context, { peerId: ben, content: 'mine' })
  const told: ReactionNews[] = []
  onTestFinished(watchReactions(database.messages, (news) => told.push(news)))
  const change = (userId: string, emoji: string, now: number) =>
    changeMessage(database.messages, id, (message) => react(message, { userId, emoji, now }))
  await change(ann, '👍', 1)
  await change(ben, '👍', 2)
  await changeMessage(database.messages, id, (message) => ({ ...message, isStarred: true }))
  await change(ben, '', 3)
  await change(ben, '❤️', 4)
  await expect.poll(() => told.map(({ reaction }) => reaction.emoji)).toEqual(['👍', '❤️'])
  expect(told[0]?.message).toMatchObject({ _id: id, content: 'mine' })
})
