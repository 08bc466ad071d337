import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { AccountsDocument } from '../access/account-documents.ts'
import { createSessions } from '../access/sessions.ts'
import { createTokenKeeper } from '../access/token-keeper.ts'
import { createBudget } from '../budget/budget.ts'
import { createDoorman } from '../budget/doorman.ts'
import { createAccessCheck } from '../http/core/access-check.ts'
import { createEpochs } from '../sync/epochs.ts'
import { createSyncRouter } from '../sync/sync-router.ts'
import { openTestAcceptance, propose, writeMessage } from './open-test-acceptance.ts'

export type TestSync = Awaited<ReturnType<typeof startTestSync>>

/** For tests: `/sync` alone, over HTTP on its own port, with real sign-ins of Ann and Ben. */
export async function startTestSync(options: Parameters<typeof openTestAcceptance>[0] = {}) {
  const t = await openTestAcceptance(options)
  const { storage } = t
  const database = storage.database<AccountsDocument>('accounts')
  const tokens = createTokenKeeper({ secret: 'a secret that is for tests alone' })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const sessions = createSessions({ database, isShared: false, onError })
  const { authenticate, identify } = createAccessCheck({ tokens, sessions })
  const { acceptance } = t
  const epochs = await createEpochs({ storage, onError })
  const budget = createBudget()
  const doorman = createDoorman({
    budget,
    sessions,
    identify,
    isBehindProxy: false,
    onError,
  })
  const app = express().use(
    '/sync',
    doorman.greet,
    createSyncRouter({
      storage,
      epochs,
      acceptance,
      authenticate,
      doorman,
      onError,
      reads: budget.reads,
    }),
  )
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/sync/`

  async function signIn(userId: string): Promise<string> {
    const keptMs = 60 * 60_000
    const session = await sessions.start({ userId, device: 'test', keptMs })
    return tokens.sign({ userId, sessionId: session.sessionId }, session.expiresAt)
  }

  const tokensOf = { ann: await signIn(t.ann), ben: await signIn(t.ben) }

  /**
   * One request as Ann, unless another token (or none) is given. `body` is JSON, `text` is sent
   * unchanged.
   */
  async function call(
    method: string,
    path: string,
    request: { body?: unknown; text?: string; token?: string | null } = {},
  ) {
    const { body, text, token = tokensOf.ann } = request
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const answer = await response.text()
    // Tests inspect answers whose shape is under test.
    return {
      status: response.status,
      text: answer,
      body: answer ? JSON.parse(answer) : undefined,
    }
  }

  return {
    ann: t.ann,
    ben: t.ben,
    storage,
    acceptance,
    readMessages: t.readMessages,
    readMessage: t.readMessage,
    url,
    errors,
    signIn,
    tokens: tokensOf,
    call,
    /** A message of Ann to Ben, not sent yet. */
    fromAnn: (content = 'hello') => writeMessage({ senderId: t.ann, recipientId: t.ben, content }),
    /** Pushes documents as Ann's device does. */
    push: (...docs: unknown[]) => call('POST', 'messages/_bulk_docs', { body: { docs } }),
    /** The server accepts a message of one of them to the other. */
    sendAs(actorId: string, content: string) {
      const recipientId = actorId === t.ann ? t.ben : t.ann
      const proposals = [propose(writeMessage({ senderId: actorId, recipientId, content }))]
      return acceptance.acceptMessages({ actorId, proposals })
    },
    async close() {
      doorman.close()
      epochs.close()
      storage.signals.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      // Pending writes need the storage.
      await acceptance.close()
      await t.close()
    },
  }
}
