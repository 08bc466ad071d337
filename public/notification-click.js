/** Part of the service worker: a tapped notification leads to its chat, in the open tab or in a new one. */
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openPath(event.notification.data?.path ?? '/chat'))
})

async function openPath(path) {
  const [tab] = await self.clients.matchAll({ type: 'window' })
  if (!tab) return self.clients.openWindow(path)
  tab.postMessage({ type: 'open-chat', path })
  return tab.focus()
}
