import type { Response } from 'express'
import { createAnswerBody } from './answer-body.ts'

/**
 * Sends a JSON list as its pages are read: no answer is ever whole in memory, and a caller who is gone is read for no
 * more. A failure before the first page is still an answer of its own.
 * @param list.head what stands before the rows; @param list.tail what stands behind them
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
