import { suggestedModes, suggestedNames } from '../../emoji/catalogue/emoji-categories.ts'
import { changeEmojiSettings, emojiSettings } from '../../emoji/catalogue/emoji-settings.ts'
import { emojiStyles, findObstacle, nameStyle } from '../../emoji/catalogue/emoji-styles.ts'
import type { RadioChoiceProps } from '../../settings/radio-choice.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'

const styleOptions = emojiStyles.map((value) => ({
  value,
  name: nameStyle(value),
  obstacle: findObstacle(value),
}))
const modeOptions = suggestedModes.map((value) => ({ value, name: suggestedNames[value] }))

/** This device's settings for the emoji style and for the picker's first section. */
export function useEmojiChoices(): RadioChoiceProps[] {
  const { style, suggestedMode } = useLiveValue(emojiSettings)
  return [
    {
      legend: 'Emoji style',
      options: styleOptions,
      value: style,
      note: 'Used in the emoji picker. Twemoji © Twitter and contributors, CC-BY 4.0. Noto Emoji © Google, Apache License 2.0.',
      onChoose(value) {
        const chosen = emojiStyles.find((each) => each === value)
        if (chosen) changeEmojiSettings({ style: chosen })
      },
    },
    {
      legend: 'The emoji picker begins with',
      options: modeOptions,
      value: suggestedMode,
      onChoose(value) {
        const chosen = suggestedModes.find((mode) => mode === value)
        if (chosen) changeEmojiSettings({ suggestedMode: chosen })
      },
    },
  ]
}
