import type { Response } from 'express'
import { createAnswerBody } from './answer-body.ts'

/**
 * Streams a JSON list page by page: no answer is ever whole in memory, and reading stops when the
 * caller is gone. A failure before the first page still gets its own answer.
 * @param list.head the text before the rows; @param list.tail the text after them
 * @param list.first the first page, already read; @param list.pages the others, rows as JSON
 */
export async function sendList(
  response: Response,
  list: {
    head: string
    tail: string
    first: IteratorResult<string[], void>
    pages: AsyncGenerator<string[], void>
  },
): Promise<void> {
  const { head, tail, first, pages } = list
  response.status(200).set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  const body = createAnswerBody(response)
  let before = head
  for (let page = first; !page.done && !response.destroyed; page = await pages.next()) {
    if (page.value.length === 0) continue
    await body.write(before + page.value.join(',\n'))
    before = ',\n'
  }
  await pages.return()
  body.end((before === head ? head : '') + tail)
}

/** Sends JSON without Express's ETag: hashing pages that nobody requests twice is wasted work. */
export function sendJson(response: Response, status: number, body: unknown) {
  response.status(status).set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  createAnswerBody(response).end(`${JSON.stringify(body)}\n`)
}
