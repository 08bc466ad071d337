import { expect, onTestFinished, test } from 'vitest'
import { openTestAcceptance, propose, writeMessage } from '../testing/open-test-acceptance.ts'

test('P12: a large push is written in parts, and what others write comes between them', async () => {
  const events: string[] = []
  const t = await openTestAcceptance({ onStage: (stage) => void events.push(stage) })
  onTestFinished(() => t.close())
  const cleo = await t.register('Cleo')
  const messages = Array.from({ length: 200 }, () =>
    writeMessage({ senderId: t.ann, recipientId: t.ben }),
  )
  const large = t.acceptance.acceptMessages({
    actorId: t.ann,
    proposals: messages.map(propose),
  })
  const small = t.acceptance
    .acceptMessages({
      actorId: cleo,
      proposals: [propose(writeMessage({ senderId: cleo, recipientId: t.ben }))],
    })
    .then(() => events.push('cleo'))
  const [outcomes] = await Promise.all([large, small])
  expect(outcomes.map(({ kind }) => kind)).toEqual(messages.map(() => 'stored'))
  expect(await t.readMessages(t.ben)).toHaveLength(201)
  // As many as a hundred at once were written before.
  expect(events.filter((event) => event === 'own')).toHaveLength(200 / 25 + 1)
  expect(events.indexOf('cleo')).toBeLessThan(events.lastIndexOf('own'))
})
