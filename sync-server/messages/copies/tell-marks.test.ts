import { expect, test } from 'vitest'
import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import { receiptStatuses } from '../../../schema/peer-marks.ts'
import { readProposal } from '../../sync/read-proposal.ts'
import { extendSilences, type SilencesDocument, tellMarks } from './tell-marks.ts'

const ben = '0190a000-0000-7000-8000-00000000000b'

test('P12: however often a reader blocks their author and unblocks them, the author can still push the conversation', () => {
  let anns: ConversationDocument = newConversation(ben)
  let silences: SilencesDocument | undefined
  for (let time = 1; time <= 700; time += 1) {
    const [held, read, before] = [time * 1_000, time * 1_000 + 500, time * 1_000 - 500]
    const added = receiptStatuses.map((status) => ({ status, after: held - 1, upTo: held }))
    silences = extendSilences(silences, { _id: 'silences', added })
    const rise = {
      before: { deliveredUpTo: before, readUpTo: before },
      upTo: { deliveredUpTo: read, readUpTo: read },
    }
    anns = tellMarks({ stored: anns, rise, silences, at: read, isReadingHidden: false })
  }
  expect(anns.peerReadUpTo).toBe(700_500)
  expect(anns.peerSilences.length).toBeLessThanOrEqual(200)
  expect(readProposal(anns, { isReplicated: false })).toMatchObject({ kind: 'proposal' })
})
