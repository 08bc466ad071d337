import { createStoryPerson, type StoryPerson } from '../pictures/stage/story-person.ts'

/** One word as long as a name may be: every place has to cut or break it. */
const longWord = 'Wilhelmina'.repeat(5)

export interface Cast {
  ann: StoryPerson
  ben: StoryPerson
  carl: StoryPerson
  dora: StoryPerson
  wilhelmina: StoryPerson
}

/** People and all kinds of messages, so that no screen is empty by accident. */
export async function fillScreens(origin: string): Promise<Cast> {
  const introduce = (name: string, about = 'At sea') => createStoryPerson(origin, { name, about })
  const cast = {
    ann: await introduce('ann'),
    ben: await introduce('ben'),
    carl: await introduce('carl'),
    dora: await introduce('dora'),
    wilhelmina: await createLongNamed(origin),
  }
  const { ann, ben, carl, wilhelmina } = cast
  await fillConversation(ann, ben)
  await tell(wilhelmina, ann, `${longWord.repeat(4)} https://example.org/${longWord}`)
  await ann.api.conversations.setPinned(ben.userId, true)
  for (let number = 1; number <= 40; number++) await tell(carl, ann, `message ${number} of 40`)
  return cast
}

async function createLongNamed(origin: string): Promise<StoryPerson> {
  const person = await createStoryPerson(origin, { name: 'wilhelmina', about: 'x' })
  await person.api.own.updateProfile({ username: longWord, status: longWord.repeat(3) })
  return person
}

async function fillConversation(ann: StoryPerson, ben: StoryPerson) {
  const first = await tell(ben, ann, 'the lamp is lit')
  await tell(ann, ben, 'I see it from here', { replyToMessageId: first })
  await tell(ben, ann, `have a look at https://example.org/${longWord} today`)
  await tell(ben, ann, 'or at https://a.io for short')
  await tell(ann, ben, `${longWord.repeat(6)} ends here`)
  const edited = await tell(ann, ben, 'come at none')
  await ann.api.messages.edit(edited, 'come at noon')
  await ann.api.messages.setStarred(edited, true)
  await ann.api.messages.setReaction(edited, '👍')
  await ben.api.messages.setReaction(edited, '❤️')
  await tell(ben, ann, 'a picture of it', { type: 'image' })
  await tell(ann, ben, longWord, { replyToMessageId: edited })
  const deleted = await tell(ann, ben, 'a slip of the pen')
  await ann.api.messages.remove(deleted)
  await ben.api.conversations.markRead(ann.userId)
  await ann.api.conversations.markRead(ben.userId)
  await tell(ann, ben, 'the boat is ready')
}

async function tell(
  author: StoryPerson,
  reader: StoryPerson,
  content: string,
  more: { replyToMessageId?: string; type?: 'image' } = {},
): Promise<string> {
  const { userId: recipientId } = reader
  return (await author.api.messages.send({ recipientId, content, ...more }))._id
}
