import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startTestApp, type TestApp } from '../testing/start-test-app.ts'
import type { ApiDescription } from './docs-routes.ts'

const opened = {} as { app: TestApp; api: ApiDescription }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.api = (await opened.app.call('GET', '/api/openapi.json')).body
})
afterAll(() => opened.app.close())

const listOperations = () => Object.values(opened.api.paths).flatMap((path) => Object.values(path))

/** Every reference anywhere in it. */
function listRefs(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : listRefs(inner),
  )
}

describe('GET /openapi.json', () => {
  it('describes calls with what they take, answer and refuse', () => {
    expect(opened.api.openapi).toBe('3.1.0')
    const send = opened.api.paths['/messages']?.post
    expect(send).toMatchObject({
      security: [{ bearer: [] }],
      parameters: [{ name: 'idempotency-key', in: 'header', required: false }],
      requestBody: {
        content: {
          'application/json': {
            schema: { properties: { recipientId: { type: 'string' } }, required: ['recipientId'] },
          },
        },
      },
      responses: {
        200: { description: expect.stringContaining('sent before') },
        201: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Message' } } },
        },
        401: { description: expect.stringContaining('Authentication required') },
        404: { description: expect.stringContaining('unknown_person') },
      },
    })
    expect(opened.api.paths['/auth/login']?.post).toMatchObject({ security: [] })
    expect(opened.api.paths['/healthz']?.get).toMatchObject({ servers: [{ url: '/' }] })
    expect(opened.api.paths['/messages/upload']?.post?.requestBody?.content).toHaveProperty([
      'multipart/form-data',
    ])
  })

  it('has no reference to nothing, no name twice, and a parameter for each place in an address', () => {
    const known = Object.keys(opened.api.components.schemas)
    for (const ref of listRefs(opened.api)) {
      expect(known.map((name) => `#/components/schemas/${name}`)).toContain(ref)
    }
    const ids = listOperations().map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [path, methods] of Object.entries(opened.api.paths)) {
      const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const { parameters = [], summary } of Object.values(methods)) {
        const named = parameters.filter((one) => one.in === 'path').map(({ name }) => name)
        expect(named).toEqual(places)
        expect(summary).not.toBe('')
      }
    }
  })
})

describe('P12: what strangers may ask for', () => {
  it.each(['/api/openapi.json', '/api/docs', '/api/docs.css'])(
    '%s is made once, packed once, and not sent to who has it',
    async (path) => {
      const made = vi.spyOn(JSON, 'stringify')
      onTestFinished(() => made.mockRestore())
      const ask = async (headers: Record<string, string>) => {
        const answer = await fetch(`${opened.app.url}${path}`, { headers })
        return { answer, text: await answer.text() }
      }
      const [packed, plain] = [await ask({}), await ask({ 'accept-encoding': 'identity' })]
      expect(packed.answer.headers.get('content-encoding')).toBe('gzip')
      expect(plain.answer.headers.get('content-encoding')).toBe(null)
      expect(packed.text).toBe(plain.text)
      const tags = [packed, plain].map(({ answer }) => answer.headers.get('etag') ?? '')
      expect(new Set(tags).size).toBe(2)
      for (const tag of tags) {
        const encoding = tag.includes('gzip') ? 'gzip' : 'identity'
        // Without it `fetch` forbids a stored answer.
        const cached = { 'if-none-match': tag, 'cache-control': 'max-age=0' }
        const again = await ask({ 'accept-encoding': encoding, ...cached })
        expect([again.answer.status, again.text]).toEqual([304, ''])
      }
      const large = made.mock.results.filter(({ value }) => String(value).length > 50_000)
      expect(large.length).toBeLessThanOrEqual(1)
    },
  )
})

describe('GET /docs', () => {
  it('is a page of its own under the strict policy, and shows every call', async () => {
    const answer = await opened.app.call('GET', '/api/docs')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const { operationId } of listOperations()) {
      expect(answer.text).toContain(`<section id="${operationId}">`)
    }
    const links = [...answer.text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link ?? '')
    const anchors = links.filter((link) => link.startsWith('#'))
    for (const anchor of anchors) expect(answer.text).toContain(`id="${anchor.slice(1)}"`)
    expect(new Set(links.filter((link) => !link.startsWith('#')))).toEqual(
      new Set(['/api/docs.css', '/api/openapi.json']),
    )
    expect(answer.text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
    const style = await opened.app.call('GET', '/api/docs.css')
    expect([style.status, style.headers.get('content-type')]).toEqual([
      200,
      'text/css; charset=utf-8',
    ])
  })
})
