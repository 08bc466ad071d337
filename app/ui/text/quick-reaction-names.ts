import { quickReactions } from '../../../schema/reaction.ts'

const names: Record<(typeof quickReactions)[number], string> = {
  '👍': 'Thumbs up',
  '❤️': 'Red heart',
  '😃': 'Smiling',
  '😢': 'Crying',
  '🙏': 'Folded hands',
  '👎': 'Thumbs down',
  '😡': 'Angry',
}

/** The seven reactions offered first, in order, with their names for screen readers. */
export const namedQuickReactions = quickReactions.map((emoji) => ({ emoji, name: names[emoji] }))
