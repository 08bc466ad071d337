import { type Settings, textSizes, wallpapers } from '../../../schema/settings.ts'
import { suggestedModes, suggestedNames } from '../../emoji/catalogue/emoji-categories.ts'
import { changeEmojiSettings, emojiSettings } from '../../emoji/catalogue/emoji-settings.ts'
import { emojiStyles, findObstacle, nameStyle } from '../../emoji/catalogue/emoji-styles.ts'
import type { ChoiceProps } from '../../settings/radio-choice.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { darkSystem, nameTheme, themes } from '../screen/theme.ts'
import { useMessenger } from '../session/messenger-context.tsx'

const wallpaperNames: Record<Settings['wallpaper'], string> = {
  plain: 'Plain',
  dunes: 'Dunes',
  waves: 'Waves',
  dots: 'Dots',
  dusk: 'Dusk',
}

const sizeNames: Record<Settings['textSize'], string> = {
  small: 'Small',
  medium: 'Medium',
  large: 'Large',
  larger: 'Extra large',
}

const enterNames: Record<Settings['enterSends'], string> = {
  auto: 'Automatic',
  always: 'Sends the message',
  never: 'Begins a new line',
}

/** How chats look and behave: settings that follow the person, and one of this device's picker. */
export function useChatChoices(): ChoiceProps[] {
  const { settings } = useMessenger()
  const values = useLiveValue(settings.values)
  const { suggestedMode } = useLiveValue(emojiSettings)
  const isSystemDark = useMediaQuery(darkSystem)
  const choice = <Name extends 'theme' | 'wallpaper' | 'textSize' | 'enterSends' | 'emojiStyle'>(
    name: Name,
    options: readonly Settings[Name][],
  ) => ({
    value: values[name],
    onChoose(value: string) {
      const chosen = options.find((each) => each === value)
      return chosen && settings.set({ [name]: chosen })
    },
  })
  return [
    {
      legend: 'Theme',
      options: themes.map((value) => ({
        value,
        name: value === 'system' ? 'System default' : nameTheme(value),
      })),
      note: `System default follows this device: ${isSystemDark ? 'dark' : 'light'} now.`,
      isNoted: (value) => value === 'system',
      ...choice('theme', themes),
    },
    {
      legend: 'Wallpaper',
      options: wallpapers.map((value) => ({
        value,
        name: wallpaperNames[value],
        wallpaper: value,
      })),
      ...choice('wallpaper', wallpapers),
    },
    {
      legend: 'Text size',
      options: textSizes.map((value) => ({ value, name: sizeNames[value] })),
      ...choice('textSize', textSizes),
    },
    {
      legend: 'The Enter key',
      options: enterSendsOptions.map((value) => ({ value, name: enterNames[value] })),
      note: 'Automatic: sends where there is a keyboard, begins a new line on touch screens. Shift + Enter always begins a new line.',
      ...choice('enterSends', enterSendsOptions),
    },
    {
      legend: 'Emoji style',
      options: emojiStyles.map((value) => ({
        value,
        name: nameStyle(value),
        obstacle: findObstacle(value),
      })),
      note: 'Used in the emoji picker. Twemoji © Twitter and contributors, CC-BY 4.0. Noto Emoji © Google, Apache License 2.0.',
      ...choice('emojiStyle', emojiStyles),
    },
    {
      legend: 'The emoji picker begins with',
      options: suggestedModes.map((value) => ({ value, name: suggestedNames[value] })),
      value: suggestedMode,
      onChoose(value) {
        const chosen = suggestedModes.find((mode) => mode === value)
        if (chosen) changeEmojiSettings({ suggestedMode: chosen })
      },
    },
    {
      name: 'Keep chats archived',
      note: 'Archived chats stay archived when a message arrives.',
      isOn: values.keepsArchived,
      onChange: (keepsArchived) => settings.set({ keepsArchived }),
    },
  ]
}

const enterSendsOptions = ['auto', 'always', 'never'] as const
