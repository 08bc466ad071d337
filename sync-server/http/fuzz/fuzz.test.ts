import { Agent } from 'node:http'
import fc from 'fast-check'
import jwt from 'jsonwebtoken'
import { afterAll, describe, expect, it } from 'vitest'
import { errorAnswer } from '../../../schema/api/api-error.ts'
import { casesOf, type HostileCase } from './hostile-cases.contract.ts'
import { openVictims } from './testing/open-victims.ts'
import { type RawAnswer, type RawRequest, sendRawRequest } from './testing/send-raw-request.ts'

/** Repeatable: fast-check prints the path from the seed to a failure. */
const drawn = { seed: 20_261_121, numRuns: 40, endOnFailure: true }

const victims = await openVictims()
const { chat, api, ann, ben, known } = victims
const { port } = chat.app
const before = await victims.describe()
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
afterAll(async () => {
  agent.destroy()
  await chat.close()
})

function writeToken(kind: string): string {
  const claims = { sub: ann.userId, sid: 'x', iss: 'petrel', aud: 'petrel' }
  if (kind === 'own') return victims.mallory.token
  if (kind === 'none') return jwt.sign(claims, '', { algorithm: 'none' })
  return kind === 'guessed' ? jwt.sign(claims, 'a guessed secret that is long enough') : kind
}

function toRequest(method: string, path: string, drawnCase: HostileCase): RawRequest {
  const { parts, query, token, key, body } = drawnCase
  const rest = [...parts]
  const filled = path.replace(/\{\w+\}/g, () => rest.shift() ?? '')
  return {
    method: method.toUpperCase(),
    path: `${filled}${query}`,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${writeToken(token)}` }),
      ...(key === '' ? {} : { 'idempotency-key': key }),
      ...(body ? { 'content-type': body.type } : {}),
    },
    body: body?.text,
  }
}

/** Every refusal has words and a code, and is never a server fault. */
function requireSound(answer: RawAnswer, request: RawRequest) {
  const shown = `${request.method} ${request.path.slice(0, 200)}: ${answer.text.slice(0, 300)}`
  if (answer.status < 400) return
  const { error, code } = errorAnswer.parse(JSON.parse(answer.text))
  // This server has no channel: a plain answer, no failure.
  if (code !== 'whatsapp_not_configured') expect(answer.status, shown).toBeLessThan(500)
  expect([error, code], shown).not.toContain('')
}

const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const address = `${operation.servers ? '' : '/api'}${path}`
    return { name: `${method.toUpperCase()} ${address}`, method, address, operation }
  }),
)

describe.each(operations)('$name', ({ method, address, operation }) => {
  const isGuarded = operation.security.length > 0

  it('answers whatever comes with words, and never fails', async () => {
    await fc.assert(
      fc.asyncProperty(casesOf(address, operation, known), async (drawnCase) => {
        const request = toRequest(method, address, drawnCase)
        const answer = await sendRawRequest(port, request, agent)
        requireSound(answer, request)
        if (drawnCase.body?.isBroken) expect(answer.status).toBeGreaterThanOrEqual(400)
        if (!isGuarded) return
        if (drawnCase.token !== 'own') expect([400, 401, 404]).toContain(answer.status)
        // Some calls end the caller's own sign-in or account.
        if (drawnCase.token === 'own' && answer.status === 401) await victims.renewMallory()
      }),
      drawn,
    )
  })
})

const takingJson = operations.filter(
  ({ operation }) => operation.requestBody?.content['application/json'],
)

describe('five megabytes of JSON', () => {
  it.each(takingJson)('are not read by $name', async ({ method, address }) => {
    const { token } = await victims.renewMallory()
    const request = {
      method: method.toUpperCase(),
      path: address.replace(/\{\w+\}/g, ann.userId),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ content: 'x'.repeat(5_000_000) }),
    }
    const answer = await sendRawRequest(port, request)
    requireSound(answer, request)
    // Others find nothing at these addresses, before their body is looked at.
    const isForAdmins = address.startsWith('/api/admin/')
    expect(isForAdmins ? [404] : [413, 415]).toContain(answer.status)
  })
})

describe('after all of this', () => {
  it('P8: nobody’s data has changed, and the server goes on', async () => {
    expect((await chat.app.call('GET', '/readyz')).status).toBe(200)
    expect(await victims.describe()).toEqual(before)
    expect(await chat.say(ann, ben, 'still here')).toEqual(expect.any(String))
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })
})
