/** How a person is named who is not here any more. */
export const deletedUserName = 'Deleted user'
