import { expect, it } from 'vitest'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import { StorageUnavailable } from '../storage/documents/storage-errors.ts'
import { createPushAnswerer } from './answer-push.ts'

const caller = { userId: 'ann', sessionId: 'hers' }

/** Ann pushes a message, which the server accepts as told. */
async function push(accept: () => Promise<never[]>, isOpen = true) {
  const errors: unknown[] = []
  const answerPush = createPushAnswerer({
    storage: { database: () => ({}) } as never,
    epochs: { of: () => 'an epoch', raise: async () => undefined } as never,
    reads: {} as never,
    acceptance: { acceptMessages: accept, acceptConversations: accept } as never,
    sessions: { isOpen: async () => isOpen },
    onError: (error) => void errors.push(error),
  })
  const message = { content: 'hello', _id: '0198a4d2-0000-7000-8000-000000000000' }
  const { raw } = proposeMessage({ senderId: 'ann', recipientId: 'ben', message })
  return { answered: await answerPush(caller, { database: 'messages', docs: [raw] }), errors }
}

it('an ended sign-in pushes nothing, even before its socket is closed', async () => {
  const accepted: string[] = []
  const { answered } = await push(async () => {
    accepted.push('something')
    return []
  }, false)
  expect(answered).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  expect(accepted).toEqual([])
})

it('a full disk is answered with “later”, and a fault is reported without its words', async () => {
  const failing = (error: Error) => async () => {
    throw error
  }
  const full = await push(failing(new StorageUnavailable('The disk is full.')))
  expect(full.answered).toMatchObject({
    status: 503,
    body: { error: 'storage_unavailable' },
    epoch: 'an epoch',
    retryAfterSeconds: 5,
  })
  const fault = new Error('a path on this machine')
  const { answered, errors } = await push(failing(fault))
  expect(answered).toMatchObject({ status: 500, body: { error: 'internal_server_error' } })
  expect(JSON.stringify(answered)).not.toContain(fault.message)
  expect(errors).toEqual([fault])
})
