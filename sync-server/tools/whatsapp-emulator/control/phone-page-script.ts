/**
 * Polls every two seconds and updates the page, unless somebody is about to press something there.
 */
export const phonePageScript = `
const everyMs = 2000
const toEnd = () => document.getElementById('last')?.scrollIntoView({ block: 'end' })
async function look() {
  const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => null)
  if (!answer?.ok) return
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const id of ['people', 'thread']) {
    const here = document.getElementById(id)
    const there = page.getElementById(id)
    if (!here || !there || here.innerHTML === there.innerHTML) continue
    if (here.contains(document.activeElement)) continue
    here.replaceWith(document.adoptNode(there))
    if (id === 'thread') toEnd()
  }
}
setInterval(() => {
  if (document.visibilityState === 'visible') look()
}, everyMs)
toEnd()
`
