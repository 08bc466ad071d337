import { expect, test } from 'vitest'
import { listLabels } from '../list-labels.ts'
import { readChannelSettings, withChannelSettings } from './channel-settings.ts'

test('keeps other parts of the settings when the channel stores something', () => {
  const settings = withChannelSettings(
    { theme: 'dark' },
    { quickReplies: ['We are open till six.'] },
  )
  expect(settings.theme).toBe('dark')
  expect(readChannelSettings(settings).quickReplies).toEqual(['We are open till six.'])
  const labelled = withChannelSettings(settings, { labels: { ann: ['Paid'], ben: [] } })
  expect(readChannelSettings(labelled)).toEqual({
    quickReplies: ['We are open till six.'],
    labels: { ann: ['Paid'] },
  })
  expect(listLabels(labelled, 'ann')).toEqual(['Paid'])
  expect(listLabels(labelled, 'ben')).toEqual([])
  expect(listLabels({ whatsApp: { labels: { ann: 'Paid' } } }, 'ann')).toEqual([])
})

test.each([undefined, null, 'text', { quickReplies: 7, labels: [] }, { labels: { ann: 'x' } }])(
  'settings of another kind (%o) break nothing',
  (whatsApp) => {
    const { quickReplies } = readChannelSettings(JSON.parse(JSON.stringify({ whatsApp })))
    expect(quickReplies).toEqual([])
  },
)
