import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { expect, test } from 'vitest'
import { ChatsLink } from './rail.tsx'

test.each([
  [0, 'aria-label="Chats"', ''],
  [99, 'aria-label="Chats, 99 unread"', '99'],
  [100, 'aria-label="Chats, 100 unread"', '99+'],
])('the rail shows %i unread chats', (unreadChats, label, shown) => {
  const link = createElement(ChatsLink, { unreadChats, isCurrent: true })
  const html = renderToStaticMarkup(createElement(MemoryRouter, null, link))
  expect(html).toContain(label)
  expect(html.replace(/<[^>]*>/g, '')).toBe(shown)
})
