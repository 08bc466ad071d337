import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { describeCouches } from '../storage/couch/couches.contract.ts'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import type { Revisions } from '../storage/documents/documents.ts'
import { openTestAcceptance, propose, writeMessage } from '../testing/open-test-acceptance.ts'
import type { Stage } from './acceptance/delivery-types.ts'

/** What happens once, between what the next write has read and the copies that it writes. */
const between: { happens?: (() => Promise<unknown>) | undefined } = {}
async function onStage(stage: Stage) {
  const { happens } = between
  if (stage !== 'ordered' || !happens) return
  between.happens = undefined
  await happens()
}

describeCouches('a push that is overtaken', (couch) => {
  test('P3: brings back no text that its author deleted meanwhile', async () => {
    const t = await openTestAcceptance({ couchdbUrl: couch.url, isShared: false, onStage })
    onTestFinished(t.close)
    const { _id, ...rest } = writeMessage({
      senderId: t.ann,
      recipientId: t.ben,
      content: 'secret',
    })
    const write = (actorId: string, doc: { _id: string }, revisions?: Revisions) =>
      t.acceptance.acceptMessages({
        actorId,
        proposals: [{ ...propose(doc), ...(revisions && { revisions }) }],
      })
    await write(t.ann, { ...rest, _id })
    const bens = t.storage.database<MessageDocument & { _revisions?: Revisions }>(
      nameMessagesDatabase(t.ben),
    )
    const { _revisions, ...copy } = must(await bens.readRevision(_id, { revs: true }), 'a copy')
    const { start, ids } = must(_revisions, 'its revisions')

    const deletedAt = Date.now()
    between.happens = async () => {
      const anns = must(await t.readMessage(t.ann, _id), 'a copy')
      await write(t.ann, { ...anns, deletedAt } as MessageDocument)
      expect(await t.readMessage(t.ben, _id)).toMatchObject({ content: '', deletedAt })
    }
    const starred = { ...copy, isStarred: true, isStarredAt: Date.now() }
    const pushed = await write(t.ben, starred, { start: start + 1, ids: ['star', ...ids] })

    expect(between.happens).toBeUndefined()
    expect(pushed).toMatchObject([{ kind: 'stored', doc: { content: '', deletedAt } }])
    expect(await t.readMessage(t.ben, _id)).toMatchObject({ content: '', deletedAt })
    expect(await bens.findMissingRevisions({ [_id]: [`${start + 1}-star`] })).toEqual({})
  })
})
