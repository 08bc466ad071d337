import { expect, onTestFinished, test } from 'vitest'
import { openEarlierLab } from '../../lab/earlier/open-earlier-lab.ts'

test('P11: what an earlier build owed leaves once after the update, and nothing is pulled again', async () => {
  const { lab, ann, ben, cem, fill, unsent } = await openEarlierLab()
  onTestFinished(() => lab.close())
  const [bens, phone] = [await ben.device(), await ann.device({ fill })]
  await lab.settle()
  await lab.expectConverged()

  const texts = (await bens.read(ann)).map(({ content }) => content)
  expect(texts).toEqual([
    ...['hello Ben', 'hello Ann', 'and Cem?', 'while your phone was off', 'written offline'],
  ])
  expect((await ben.server.messages()).get(unsent)).toMatchObject({ status: 'delivered' })
  expect((await ann.server.conversations()).get(cem.userId)).toMatchObject({
    isMuted: true,
    isArchived: true,
  })
  expect(phone.messenger.drafts.begin(cem.userId).text).toBe('a draft for Cem')
  for (const collection of ['messages', 'conversations'] as const) {
    const places = phone.network.listPulledAfter(collection)
    expect(places.length).toBeGreaterThan(0)
    expect(places).not.toContain('0')
  }
})
